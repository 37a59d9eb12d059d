-- What a new ledger is made of: the result of all migrations. Written by the test (vitest -u).

CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

CREATE TABLE connections (
  id INTEGER PRIMARY KEY,
  api_url TEXT NOT NULL,
  workspace TEXT NOT NULL,
  projects_url TEXT NOT NULL,
  dialect TEXT CHECK (dialect IN ('spec', 'live')),
  -- Limits of a shard that an answer of the service stated.
  max_shard_members INTEGER,
  max_shard_bytes INTEGER, key_carrier TEXT CHECK (key_carrier IN ('query', 'header')),
  UNIQUE (api_url, workspace)
) STRICT;

CREATE TABLE destinations (
  id INTEGER PRIMARY KEY,
  connection_id INTEGER NOT NULL REFERENCES connections (id),
  -- The batch id asked for, or the name of the watch.
  name TEXT NOT NULL, last_found_at INTEGER,
  UNIQUE (connection_id, name)
) STRICT;

CREATE TABLE batches (
  id INTEGER PRIMARY KEY,
  connection_id INTEGER NOT NULL REFERENCES connections (id),
  -- The id asked for; batch_id carries the generation behind it (ID-2, ID-3).
  base_id TEXT NOT NULL,
  generation INTEGER NOT NULL,
  batch_id TEXT NOT NULL,
  display_name TEXT,
  kind TEXT NOT NULL CHECK (kind IN ('image', 'video')),
  mode TEXT NOT NULL CHECK (mode IN ('single', 'bulk')),
  state TEXT NOT NULL CHECK (state IN ('open', 'sealed', 'processed', 'expired')),
  -- 1: this ledger made the batch, so bare names are safe and the count may confirm.
  created_here INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  first_sent_at INTEGER,
  expires_at INTEGER,
  state_at INTEGER NOT NULL, watch_id INTEGER REFERENCES watches (id), paused INTEGER NOT NULL DEFAULT 0, sources_moved INTEGER NOT NULL DEFAULT 0, host_own INTEGER NOT NULL DEFAULT 0, lag_ms INTEGER, foreign_seen INTEGER NOT NULL DEFAULT 0, hold_code TEXT, hold_detail TEXT, hold_until INTEGER, registrations INTEGER NOT NULL DEFAULT 0,
  UNIQUE (connection_id, batch_id)
) STRICT;

CREATE TABLE transfers (
  id INTEGER PRIMARY KEY,
  batch_row INTEGER NOT NULL REFERENCES batches (id),
  kind TEXT NOT NULL CHECK (kind IN ('image', 'video', 'shard')),
  state TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  -- The notification member of a shard, exactly as it is sent.
  notification TEXT,
  upload_url TEXT,
  upload_headers TEXT,
  url_expires_at INTEGER,
  -- Tries in all, and equal answers of the service in a row.
  attempts INTEGER NOT NULL DEFAULT 0,
  same_answers INTEGER NOT NULL DEFAULT 0,
  last_code TEXT,
  last_error TEXT,
  retry_at INTEGER NOT NULL DEFAULT 0,
  -- 1: an earlier try may have arrived; nothing goes out again before the service was asked.
  doubtful INTEGER NOT NULL DEFAULT 0,
  -- The latest instant at which a byte of the last try can have left.
  last_byte_at INTEGER,
  state_at INTEGER NOT NULL
, failing_since INTEGER, sent_at INTEGER, proof TEXT CHECK (proof IN ('checksum', 'verify')), addresses INTEGER NOT NULL DEFAULT 0, absent_at INTEGER) STRICT;

CREATE INDEX transfers_due ON transfers (state, retry_at);

CREATE INDEX transfers_line ON transfers (id) WHERE state IN ('planned', 'registered');

CREATE INDEX transfers_batch ON transfers (batch_row, state);

CREATE TABLE items (
  id INTEGER PRIMARY KEY,
  destination_id INTEGER NOT NULL REFERENCES destinations (id),
  path TEXT NOT NULL,
  -- The path within the directory that was named or watched; part of a unique name.
  relative_path TEXT NOT NULL,
  kind TEXT CHECK (kind IN ('image', 'video')),
  size_bytes INTEGER NOT NULL,
  stamp TEXT NOT NULL,
  fingerprint TEXT,
  content_hash TEXT,
  state TEXT NOT NULL,
  -- Why an item is skipped or parked: an error code, and its facts as JSON.
  reason TEXT,
  detail TEXT,
  batch_row INTEGER REFERENCES batches (id),
  name TEXT,
  name_key TEXT,
  transfer_id INTEGER REFERENCES transfers (id),
  position INTEGER,
  -- The item whose content this one repeats.
  duplicate_of INTEGER REFERENCES items (id),
  -- Queued without a fingerprint: identified again, not before this instant.
  retry_at INTEGER NOT NULL DEFAULT 0,
  tries INTEGER NOT NULL DEFAULT 0,
  found_at INTEGER NOT NULL,
  state_at INTEGER NOT NULL
, base_id TEXT, rereads INTEGER NOT NULL DEFAULT 0, proof TEXT CHECK (proof IN ('checksum', 'content')), vanished INTEGER NOT NULL DEFAULT 0, lost_absent_at INTEGER, lost_byte_at INTEGER) STRICT;

CREATE INDEX items_again ON items (retry_at) WHERE state = 'queued' AND fingerprint IS NULL;

CREATE INDEX items_path ON items (destination_id, path);

CREATE INDEX items_transfer ON items (transfer_id, position) WHERE transfer_id IS NOT NULL;

CREATE INDEX items_batch ON items (batch_row, state) WHERE batch_row IS NOT NULL;

CREATE INDEX items_duplicate ON items (duplicate_of) WHERE duplicate_of IS NOT NULL;

CREATE UNIQUE INDEX items_name ON items (batch_row, name_key)
  WHERE name_key IS NOT NULL AND state <> 'skipped';

CREATE TABLE jobs (
  id INTEGER PRIMARY KEY,
  connection_id INTEGER NOT NULL REFERENCES connections (id),
  batch_id TEXT NOT NULL,
  job_id TEXT NOT NULL,
  name TEXT,
  -- The complete body; a repeat sends exactly this.
  body TEXT NOT NULL,
  state TEXT NOT NULL,
  -- Where its outputs go when it ends well; null: nowhere.
  download_to TEXT,
  results_batch TEXT,
  last_code TEXT,
  last_error TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  retry_at INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  state_at INTEGER NOT NULL, watch_id INTEGER REFERENCES watches (id), fetched INTEGER NOT NULL DEFAULT 0, unpack INTEGER NOT NULL DEFAULT 0, abort_asked_at INTEGER,
  UNIQUE (connection_id, job_id)
) STRICT;

CREATE INDEX jobs_batch ON jobs (connection_id, batch_id);

CREATE TABLE outputs (
  id INTEGER PRIMARY KEY,
  connection_id INTEGER NOT NULL REFERENCES connections (id),
  batch_id TEXT NOT NULL,
  -- '' for a file that belongs to no part.
  part TEXT NOT NULL,
  file_name TEXT NOT NULL,
  -- Tells files of equal part and name apart: their place among these in the service's order.
  occurrence INTEGER NOT NULL,
  shard_id TEXT,
  target TEXT NOT NULL,
  path TEXT NOT NULL,
  unpack INTEGER NOT NULL,
  state TEXT NOT NULL,
  size_bytes INTEGER,
  sha256 TEXT,
  -- Validator of the bytes that stand in the .part file.
  validator TEXT,
  last_code TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  state_at INTEGER NOT NULL, stamp TEXT, synced_bytes INTEGER NOT NULL DEFAULT 0, object TEXT,
  UNIQUE (target, connection_id, batch_id, part, file_name, occurrence)
) STRICT;

CREATE TABLE watches (
  id INTEGER PRIMARY KEY,
  connection_id INTEGER NOT NULL REFERENCES connections (id),
  destination_id INTEGER NOT NULL REFERENCES destinations (id),
  directory TEXT NOT NULL,
  -- The rule as JSON, checked by preload/contract/watchRule.ts whenever it is read.
  rule TEXT NOT NULL,
  state TEXT NOT NULL,
  -- 1: made by a command for itself; only that command runs it.
  one_off INTEGER NOT NULL DEFAULT 0,
  added_at INTEGER NOT NULL,
  state_at INTEGER NOT NULL
) STRICT;

CREATE INDEX items_base ON items (destination_id, base_id) WHERE base_id IS NOT NULL;

CREATE TABLE moved_sources (
  item_id INTEGER PRIMARY KEY REFERENCES items (id),
  from_path TEXT NOT NULL,
  to_path TEXT NOT NULL,
  -- planned: about to be moved; moved; undone.
  state TEXT NOT NULL CHECK (state IN ('planned', 'moved', 'undone')),
  at INTEGER NOT NULL
) STRICT;

CREATE TABLE settings (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

CREATE TABLE insight_snapshots (
  id INTEGER PRIMARY KEY,
  connection_id INTEGER NOT NULL REFERENCES connections (id),
  project TEXT NOT NULL,
  -- The day on which the service was asked, and the period it was asked about (YYYY-MM-DD, both ends included).
  day TEXT NOT NULL,
  from_day TEXT NOT NULL,
  until_day TEXT NOT NULL,
  totals TEXT NOT NULL,
  labelers TEXT NOT NULL,
  taken_at INTEGER NOT NULL,
  -- The last answer of a day stands for it.
  UNIQUE (connection_id, project, day, from_day, until_day)
) STRICT;

CREATE INDEX items_planning ON items (destination_id, base_id, kind, id)
  WHERE state = 'queued' AND fingerprint IS NOT NULL;

CREATE INDEX outputs_batch ON outputs (connection_id, batch_id, part, file_name);

CREATE INDEX outputs_target ON outputs (target, id);

CREATE INDEX outputs_parked ON outputs (connection_id, id) WHERE state = 'parked';

CREATE INDEX jobs_state ON jobs (connection_id, state, id);

CREATE INDEX batches_by_watch ON batches (watch_id, state) WHERE watch_id IS NOT NULL;

CREATE INDEX batches_to_move ON batches (watch_id) WHERE sources_moved = 0 AND state <> 'open';

CREATE INDEX moves_planned ON moved_sources (item_id) WHERE state = 'planned';

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

CREATE INDEX transfers_failing ON transfers (failing_since) WHERE failing_since IS NOT NULL;

CREATE INDEX transfers_unlisted ON transfers (batch_row, sent_at) WHERE state = 'sent';

CREATE INDEX items_ignored ON items (batch_row, name_key) WHERE reason = 'item.ignored' AND name_key IS NOT NULL;

CREATE INDEX items_parked ON items (destination_id, reason, state_at) WHERE state = 'parked';

CREATE INDEX batches_paused ON batches (connection_id) WHERE paused = 1;

CREATE INDEX jobs_waiting ON jobs (connection_id, state) WHERE last_code IS NOT NULL;

CREATE INDEX outputs_waiting ON outputs (connection_id, batch_id, last_code)
  WHERE last_code IS NOT NULL AND state <> 'done';

CREATE TABLE item_counts (
  destination_id INTEGER NOT NULL,
  state TEXT NOT NULL,
  count INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (destination_id, state)
) STRICT, WITHOUT ROWID;

CREATE INDEX batches_newest ON batches (connection_id, created_at);

CREATE INDEX batches_of_watch ON batches (watch_id) WHERE watch_id IS NOT NULL;

CREATE INDEX jobs_newest ON jobs (connection_id, created_at);

CREATE INDEX batches_expiry ON batches (expires_at) WHERE state <> 'expired';

CREATE INDEX batches_held ON batches (hold_until) WHERE hold_until IS NOT NULL;

CREATE INDEX items_postponed ON items (retry_at)
  WHERE state = 'queued' AND fingerprint IS NOT NULL AND retry_at > 0;

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

CREATE INDEX items_file_name ON items
  (lower(substr(path, length(rtrim(path, replace(replace(path, '/', ''), '\', ''))) + 1)));

CREATE INDEX outputs_done ON outputs (connection_id, state_at) WHERE state = 'done';

CREATE INDEX items_by_sha256 ON items (size_bytes) WHERE fingerprint IS NOT NULL AND instr(fingerprint, 'b3:') = 0;

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

CREATE TRIGGER items_uncounted AFTER DELETE ON items BEGIN
  UPDATE item_counts SET count = count - 1, bytes = bytes - OLD.size_bytes
    WHERE destination_id = OLD.destination_id AND state = OLD.state;
  UPDATE batch_counts SET count = count - 1
    WHERE batch_row = OLD.batch_row AND destination_id = OLD.destination_id AND state = OLD.state;
  UPDATE found_counts SET found = found - 1, bytes = bytes - OLD.size_bytes, confirmed = confirmed - (OLD.state = 'confirmed'),
    skipped = skipped - (OLD.state = 'skipped'), parked = parked - (OLD.state = 'parked')
    WHERE period = OLD.found_at / 900000 AND destination_id = OLD.destination_id;
END;

CREATE INDEX items_queued ON items (destination_id) WHERE state = 'queued';

CREATE INDEX items_skipped ON items (destination_id, batch_row, reason, duplicate_of) WHERE state = 'skipped';

CREATE INDEX items_nameless ON items (batch_row) WHERE batch_row IS NOT NULL AND (name_key IS NULL OR state = 'skipped');

CREATE INDEX items_in_batch ON items (batch_row) WHERE batch_row IS NOT NULL;

CREATE INDEX items_by_size ON items (batch_row, size_bytes) WHERE batch_row IS NOT NULL;

CREATE TABLE counted_together (id INTEGER PRIMARY KEY) STRICT;

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

CREATE INDEX items_fingerprint ON items (substr(fingerprint, 1, 28)) WHERE fingerprint IS NOT NULL AND duplicate_of IS NULL;

CREATE INDEX transfers_lost ON transfers (batch_row) WHERE state IN ('planned', 'registered') AND absent_at IS NOT NULL;

CREATE INDEX items_unplaced ON items (destination_id) WHERE state = 'parked' AND batch_row IS NULL;
