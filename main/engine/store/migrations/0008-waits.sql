-- What waits, for which reason and since when. A row exists only while something waits; it changes nothing about states.
CREATE TABLE waits (
  connection_id INTEGER NOT NULL REFERENCES connections (id),
  -- 'connection', 'send', 'job:ID', 'batch:ID', …: see store/tables/waits.ts.
  subject TEXT NOT NULL,
  -- An error code, and what the service or the system said; null when the code says it all.
  code TEXT NOT NULL,
  detail TEXT,
  since INTEGER NOT NULL,
  -- When the next try begins; null when it follows an event or is not known.
  next_at INTEGER,
  PRIMARY KEY (connection_id, subject)
) STRICT;

-- The first failure of a transfer since its last success; null while nothing fails.
ALTER TABLE transfers ADD COLUMN failing_since INTEGER;
-- When the service took the last byte; what is older than a while and still unlisted waits for an answer.
ALTER TABLE transfers ADD COLUMN sent_at INTEGER;
UPDATE transfers SET sent_at = coalesce(last_byte_at, state_at) WHERE state IN ('sent', 'unknown');
CREATE INDEX transfers_failing ON transfers (failing_since) WHERE failing_since IS NOT NULL;
CREATE INDEX transfers_unlisted ON transfers (batch_row, sent_at) WHERE state = 'sent';

-- The name of a file that a person ignores stays taken: what cannot be proved may be at the service under it.
CREATE INDEX items_ignored ON items (batch_row, name_key) WHERE reason = 'item.ignored' AND name_key IS NOT NULL;

-- What waits, and what needs a person, is asked for again and again: it must not walk what is at rest.
CREATE INDEX items_parked ON items (destination_id, reason, state_at) WHERE state = 'parked';
CREATE INDEX batches_paused ON batches (connection_id) WHERE paused = 1;
CREATE INDEX jobs_waiting ON jobs (connection_id, state) WHERE last_code IS NOT NULL;
CREATE INDEX IF NOT EXISTS jobs_state ON jobs (connection_id, state, id);
CREATE INDEX outputs_waiting ON outputs (connection_id, batch_id, last_code)
  WHERE last_code IS NOT NULL AND state <> 'done';

-- How many items of a destination are in each state, and their bytes: counted as they move, because the window asks all the time.
CREATE TABLE item_counts (
  destination_id INTEGER NOT NULL,
  state TEXT NOT NULL,
  count INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (destination_id, state)
) STRICT, WITHOUT ROWID;
INSERT INTO item_counts SELECT destination_id, state, count(*), sum(size_bytes) FROM items GROUP BY state, destination_id;
-- Two statements, not an upsert: INSERT OR IGNORE outside would change what ON CONFLICT does in here.
CREATE TRIGGER items_counted AFTER INSERT ON items BEGIN
  INSERT OR IGNORE INTO item_counts VALUES (NEW.destination_id, NEW.state, 0, 0);
  UPDATE item_counts SET count = count + 1, bytes = bytes + NEW.size_bytes
    WHERE destination_id = NEW.destination_id AND state = NEW.state;
END;
CREATE TRIGGER items_recounted AFTER UPDATE OF state, size_bytes, destination_id ON items
  WHEN NEW.state <> OLD.state OR NEW.size_bytes <> OLD.size_bytes OR NEW.destination_id <> OLD.destination_id BEGIN
  UPDATE item_counts SET count = count - 1, bytes = bytes - OLD.size_bytes
    WHERE destination_id = OLD.destination_id AND state = OLD.state;
  INSERT OR IGNORE INTO item_counts VALUES (NEW.destination_id, NEW.state, 0, 0);
  UPDATE item_counts SET count = count + 1, bytes = bytes + NEW.size_bytes
    WHERE destination_id = NEW.destination_id AND state = NEW.state;
END;
CREATE TRIGGER items_uncounted AFTER DELETE ON items BEGIN
  UPDATE item_counts SET count = count - 1, bytes = bytes - OLD.size_bytes
    WHERE destination_id = OLD.destination_id AND state = OLD.state;
END;

-- Lists are read page by page, the newest first.
CREATE INDEX batches_newest ON batches (connection_id, created_at);
CREATE INDEX batches_of_watch ON batches (watch_id) WHERE watch_id IS NOT NULL;
CREATE INDEX jobs_newest ON jobs (connection_id, created_at);
CREATE INDEX IF NOT EXISTS outputs_batch ON outputs (connection_id, batch_id, part, file_name);
