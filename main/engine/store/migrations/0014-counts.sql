-- What every screen counts is counted as items move, in one trigger for each kind of change; what lists are sorted by has an index.
-- A list like IN ('a', 'b', 'c') is made anew for each row that a trigger looks at: it costs more than all the rest.

DROP TRIGGER items_found;
DROP TRIGGER items_counted;
DROP TRIGGER items_recounted;
DROP TRIGGER items_uncounted;
DROP TRIGGER items_found_counted;
DROP TRIGGER items_found_rested;
DROP TRIGGER items_found_moved;
DROP TRIGGER items_found_uncounted;
DROP TRIGGER items_confirmed;
DROP TRIGGER items_confirmed_new;
DROP TRIGGER items_confirmed_gone;
-- The table batch_counts tells it, with the other states.
ALTER TABLE batches DROP COLUMN confirmed;

-- How many items of a batch are in each state, by destination: two watches may fill the same batch. All states of a pair are there.
CREATE TABLE batch_counts (
  batch_row INTEGER NOT NULL,
  destination_id INTEGER NOT NULL,
  state TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (batch_row, destination_id, state)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER destinations_counted AFTER INSERT ON destinations BEGIN
  INSERT INTO item_counts (destination_id, state, count, bytes) VALUES
    (NEW.id, 'queued', 0, 0), (NEW.id, 'planned', 0, 0), (NEW.id, 'sending', 0, 0), (NEW.id, 'sent', 0, 0),
    (NEW.id, 'unknown', 0, 0), (NEW.id, 'confirmed', 0, 0), (NEW.id, 'skipped', 0, 0), (NEW.id, 'parked', 0, 0);
END;
INSERT OR IGNORE INTO item_counts SELECT destinations.id, states.value, 0, 0 FROM destinations
  JOIN json_each('["queued","planned","sending","sent","unknown","confirmed","skipped","parked"]') AS states;
INSERT INTO batch_counts SELECT pairs.batch_row, pairs.destination_id, item_counts.state, 0
  FROM (SELECT DISTINCT batch_row, destination_id FROM items WHERE batch_row IS NOT NULL) AS pairs
  JOIN item_counts ON item_counts.destination_id = pairs.destination_id;
UPDATE batch_counts SET count = counted.count
  FROM (SELECT batch_row, destination_id, state, count(*) AS count FROM items WHERE batch_row IS NOT NULL GROUP BY 1, 2, 3) AS counted
  WHERE counted.batch_row = batch_counts.batch_row AND counted.destination_id = batch_counts.destination_id
    AND counted.state = batch_counts.state;

CREATE TRIGGER items_counted AFTER INSERT ON items BEGIN
  UPDATE destinations SET last_found_at = NEW.found_at WHERE id = NEW.destination_id;
  UPDATE item_counts SET count = count + 1, bytes = bytes + NEW.size_bytes
    WHERE destination_id = NEW.destination_id AND state = NEW.state;
  INSERT OR IGNORE INTO batch_counts SELECT NEW.batch_row, NEW.destination_id, state, 0 FROM item_counts
    WHERE NEW.batch_row IS NOT NULL AND destination_id = NEW.destination_id;
  UPDATE batch_counts SET count = count + 1
    WHERE batch_row = NEW.batch_row AND destination_id = NEW.destination_id AND state = NEW.state;
  INSERT OR IGNORE INTO found_counts VALUES (NEW.found_at / 900000, NEW.destination_id, 0, 0, 0, 0, 0);
  UPDATE found_counts SET found = found + 1, bytes = bytes + NEW.size_bytes, confirmed = confirmed + (NEW.state = 'confirmed'),
    skipped = skipped + (NEW.state = 'skipped'), parked = parked + (NEW.state = 'parked')
    WHERE period = NEW.found_at / 900000 AND destination_id = NEW.destination_id;
END;
CREATE TRIGGER items_recounted AFTER UPDATE OF state, batch_row, size_bytes, found_at, destination_id ON items BEGIN
  UPDATE item_counts SET count = count - 1, bytes = bytes - OLD.size_bytes
    WHERE destination_id = OLD.destination_id AND state = OLD.state;
  UPDATE item_counts SET count = count + 1, bytes = bytes + NEW.size_bytes
    WHERE destination_id = NEW.destination_id AND state = NEW.state;
  INSERT OR IGNORE INTO batch_counts SELECT NEW.batch_row, NEW.destination_id, state, 0 FROM item_counts
    WHERE NEW.batch_row IS NOT NULL AND (OLD.batch_row IS NOT NEW.batch_row OR OLD.destination_id <> NEW.destination_id)
      AND destination_id = NEW.destination_id
      AND NOT EXISTS (SELECT 1 FROM batch_counts WHERE batch_row = NEW.batch_row AND destination_id = NEW.destination_id);
  UPDATE batch_counts SET count = count - 1
    WHERE batch_row = OLD.batch_row AND destination_id = OLD.destination_id AND state = OLD.state;
  UPDATE batch_counts SET count = count + 1
    WHERE batch_row = NEW.batch_row AND destination_id = NEW.destination_id AND state = NEW.state;
  -- On its way through the pipeline an item changes nothing here: only where it comes to rest, or leaves it.
  UPDATE found_counts SET found = found - 1, bytes = bytes - OLD.size_bytes, confirmed = confirmed - (OLD.state = 'confirmed'),
    skipped = skipped - (OLD.state = 'skipped'), parked = parked - (OLD.state = 'parked')
    WHERE (OLD.state = 'confirmed' OR OLD.state = 'skipped' OR OLD.state = 'parked' OR NEW.state = 'confirmed'
        OR NEW.state = 'skipped' OR NEW.state = 'parked' OR OLD.size_bytes <> NEW.size_bytes OR OLD.found_at <> NEW.found_at
        OR OLD.destination_id <> NEW.destination_id)
      AND period = OLD.found_at / 900000 AND destination_id = OLD.destination_id;
  INSERT OR IGNORE INTO found_counts SELECT NEW.found_at / 900000, NEW.destination_id, 0, 0, 0, 0, 0
    WHERE OLD.found_at <> NEW.found_at OR OLD.destination_id <> NEW.destination_id;
  UPDATE found_counts SET found = found + 1, bytes = bytes + NEW.size_bytes, confirmed = confirmed + (NEW.state = 'confirmed'),
    skipped = skipped + (NEW.state = 'skipped'), parked = parked + (NEW.state = 'parked')
    WHERE (OLD.state = 'confirmed' OR OLD.state = 'skipped' OR OLD.state = 'parked' OR NEW.state = 'confirmed'
        OR NEW.state = 'skipped' OR NEW.state = 'parked' OR OLD.size_bytes <> NEW.size_bytes OR OLD.found_at <> NEW.found_at
        OR OLD.destination_id <> NEW.destination_id)
      AND period = NEW.found_at / 900000 AND destination_id = NEW.destination_id;
END;
CREATE TRIGGER items_uncounted AFTER DELETE ON items BEGIN
  UPDATE item_counts SET count = count - 1, bytes = bytes - OLD.size_bytes
    WHERE destination_id = OLD.destination_id AND state = OLD.state;
  UPDATE batch_counts SET count = count - 1
    WHERE batch_row = OLD.batch_row AND destination_id = OLD.destination_id AND state = OLD.state;
  UPDATE found_counts SET found = found - 1, bytes = bytes - OLD.size_bytes, confirmed = confirmed - (OLD.state = 'confirmed'),
    skipped = skipped - (OLD.state = 'skipped'), parked = parked - (OLD.state = 'parked')
    WHERE period = OLD.found_at / 900000 AND destination_id = OLD.destination_id;
END;

-- Of all states of a destination only these are asked for; the index of all of them was written again at every move.
DROP INDEX items_state;
CREATE INDEX items_queued ON items (destination_id) WHERE state = 'queued';
CREATE INDEX items_skipped ON items (destination_id, batch_row, reason, duplicate_of) WHERE state = 'skipped';
-- What has no place in items_name.
CREATE INDEX items_nameless ON items (batch_row) WHERE batch_row IS NOT NULL AND (name_key IS NULL OR state = 'skipped');
-- The items of a batch in the order in which they came, and by size. By state: items_batch. By name: items_name.
CREATE INDEX items_in_batch ON items (batch_row) WHERE batch_row IS NOT NULL;
CREATE INDEX items_by_size ON items (batch_row, size_bytes) WHERE batch_row IS NOT NULL;
