-- Large groups of items are counted as groups: a trigger for each row costs more than everything else that is written about it.

-- While it has a row, the triggers count nothing: the code that writes the group counts it, in the same transaction (store/groupCounts.ts).
CREATE TABLE counted_together (id INTEGER PRIMARY KEY) STRICT;
DROP TRIGGER items_counted;
DROP TRIGGER items_recounted;
CREATE TRIGGER items_counted AFTER INSERT ON items
  WHEN NOT EXISTS (SELECT 1 FROM counted_together) BEGIN
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
CREATE TRIGGER items_recounted AFTER UPDATE OF state, batch_row, size_bytes, found_at, destination_id ON items
  WHEN NOT EXISTS (SELECT 1 FROM counted_together) BEGIN
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

-- A part of the fingerprint finds it as well, and makes the index a third as large: its keys come in no order, so most inserts
-- change a page of their own. A duplicate is not in it: there may be very many of one content, and only its original is looked up.
UPDATE items SET duplicate_of = NULL WHERE duplicate_of IS NOT NULL AND state <> 'skipped';
DROP INDEX items_fingerprint;
CREATE INDEX items_fingerprint ON items (substr(fingerprint, 1, 28)) WHERE fingerprint IS NOT NULL AND duplicate_of IS NULL;
