-- What the window asks about the past: what was found when and what became of it, and where a file of a name is.

-- Items by the quarter of an hour in which they were found: the days of every time zone are made of these. Counted as items move.
CREATE TABLE found_counts (
  -- found_at / 900,000 ms.
  period INTEGER NOT NULL,
  destination_id INTEGER NOT NULL,
  found INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  confirmed INTEGER NOT NULL,
  skipped INTEGER NOT NULL,
  parked INTEGER NOT NULL,
  PRIMARY KEY (period, destination_id)
) STRICT, WITHOUT ROWID;
INSERT INTO found_counts SELECT found_at / 900000, destination_id, count(*), sum(size_bytes),
  sum(state = 'confirmed'), sum(state = 'skipped'), sum(state = 'parked') FROM items GROUP BY 1, 2;
-- Two statements, not an upsert: INSERT OR IGNORE outside would change what ON CONFLICT does in here.
CREATE TRIGGER items_found_counted AFTER INSERT ON items BEGIN
  INSERT OR IGNORE INTO found_counts VALUES (NEW.found_at / 900000, NEW.destination_id, 0, 0, 0, 0, 0);
  UPDATE found_counts SET found = found + 1, bytes = bytes + NEW.size_bytes, confirmed = confirmed + (NEW.state = 'confirmed'),
    skipped = skipped + (NEW.state = 'skipped'), parked = parked + (NEW.state = 'parked')
    WHERE period = NEW.found_at / 900000 AND destination_id = NEW.destination_id;
END;
-- On its way through the line an item changes nothing here: only where it comes to rest, or leaves it.
CREATE TRIGGER items_found_rested AFTER UPDATE OF state ON items
  WHEN NEW.state <> OLD.state AND NEW.size_bytes = OLD.size_bytes AND NEW.found_at = OLD.found_at AND NEW.destination_id = OLD.destination_id
    AND (NEW.state IN ('confirmed', 'skipped', 'parked') OR OLD.state IN ('confirmed', 'skipped', 'parked')) BEGIN
  UPDATE found_counts SET confirmed = confirmed + (NEW.state = 'confirmed') - (OLD.state = 'confirmed'),
    skipped = skipped + (NEW.state = 'skipped') - (OLD.state = 'skipped'),
    parked = parked + (NEW.state = 'parked') - (OLD.state = 'parked')
    WHERE period = NEW.found_at / 900000 AND destination_id = NEW.destination_id;
END;
CREATE TRIGGER items_found_moved AFTER UPDATE OF size_bytes, found_at, destination_id ON items
  WHEN NEW.size_bytes <> OLD.size_bytes OR NEW.found_at <> OLD.found_at OR NEW.destination_id <> OLD.destination_id BEGIN
  UPDATE found_counts SET found = found - 1, bytes = bytes - OLD.size_bytes, confirmed = confirmed - (OLD.state = 'confirmed'),
    skipped = skipped - (OLD.state = 'skipped'), parked = parked - (OLD.state = 'parked')
    WHERE period = OLD.found_at / 900000 AND destination_id = OLD.destination_id;
  INSERT OR IGNORE INTO found_counts VALUES (NEW.found_at / 900000, NEW.destination_id, 0, 0, 0, 0, 0);
  UPDATE found_counts SET found = found + 1, bytes = bytes + NEW.size_bytes, confirmed = confirmed + (NEW.state = 'confirmed'),
    skipped = skipped + (NEW.state = 'skipped'), parked = parked + (NEW.state = 'parked')
    WHERE period = NEW.found_at / 900000 AND destination_id = NEW.destination_id;
END;
CREATE TRIGGER items_found_uncounted AFTER DELETE ON items BEGIN
  UPDATE found_counts SET found = found - 1, bytes = bytes - OLD.size_bytes, confirmed = confirmed - (OLD.state = 'confirmed'),
    skipped = skipped - (OLD.state = 'skipped'), parked = parked - (OLD.state = 'parked')
    WHERE period = OLD.found_at / 900000 AND destination_id = OLD.destination_id;
END;

-- A file is found by how its name begins: what is behind the last / or \ of its path. queries/fileSearch.ts says the same.
CREATE INDEX items_file_name ON items
  (lower(substr(path, length(rtrim(path, replace(replace(path, '/', ''), '\', ''))) + 1)));

-- What was downloaded on a day, and which jobs ended.
CREATE INDEX outputs_done ON outputs (connection_id, state_at) WHERE state = 'done';
