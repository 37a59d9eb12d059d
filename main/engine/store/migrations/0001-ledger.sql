-- The ledger: what was found, where it goes, how far it is. States are written only by store/transitions.ts.

CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

-- A service address with a workspace. The key is never kept here.
CREATE TABLE connections (
  id INTEGER PRIMARY KEY,
  api_url TEXT NOT NULL,
  workspace TEXT NOT NULL,
  projects_url TEXT NOT NULL,
  dialect TEXT CHECK (dialect IN ('spec', 'live')),
  -- Limits of a shard that an answer of the service stated.
  max_shard_members INTEGER,
  max_shard_bytes INTEGER,
  UNIQUE (api_url, workspace)
) STRICT;

-- What content is unique within: the batch somebody asked for, with all its generations.
CREATE TABLE destinations (
  id INTEGER PRIMARY KEY,
  connection_id INTEGER NOT NULL REFERENCES connections (id),
  -- The batch id asked for, or the name of the watch.
  name TEXT NOT NULL,
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
  state_at INTEGER NOT NULL,
  UNIQUE (connection_id, batch_id)
) STRICT;

-- One image, one video, or one shard; its items in order of position are the manifest.
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
) STRICT;
CREATE INDEX transfers_due ON transfers (state, retry_at);
-- The line of transfers in their order.
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
  sha256 TEXT,
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
) STRICT;
CREATE INDEX items_again ON items (retry_at) WHERE state = 'queued' AND fingerprint IS NULL;
CREATE INDEX items_path ON items (destination_id, path);
CREATE INDEX items_fingerprint ON items (fingerprint) WHERE fingerprint IS NOT NULL;
CREATE INDEX items_state ON items (state, destination_id);
CREATE INDEX items_transfer ON items (transfer_id, position) WHERE transfer_id IS NOT NULL;
CREATE INDEX items_batch ON items (batch_row, state) WHERE batch_row IS NOT NULL;
CREATE INDEX items_duplicate ON items (duplicate_of) WHERE duplicate_of IS NOT NULL;
-- A name stands once in a batch; a finished skip gives its name free.
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
  state_at INTEGER NOT NULL,
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
  state_at INTEGER NOT NULL,
  UNIQUE (target, connection_id, batch_id, part, file_name, occurrence)
) STRICT;
