-- Watches with their rules, what a batch belongs to, and settings that window and command line share.

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

-- The batch id that the rule chose when the item was first identified; null: the one that was asked for.
ALTER TABLE items ADD COLUMN base_id TEXT;
CREATE INDEX items_base ON items (destination_id, base_id) WHERE base_id IS NOT NULL;

-- The watch whose rule closes and processes the batch.
ALTER TABLE batches ADD COLUMN watch_id INTEGER REFERENCES watches (id);
ALTER TABLE jobs ADD COLUMN watch_id INTEGER REFERENCES watches (id);
-- 1: the outputs of the job stand where they were wanted.
ALTER TABLE jobs ADD COLUMN fetched INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN unpack INTEGER NOT NULL DEFAULT 0;

-- Sources that were moved after their confirmation, so that it can be undone.
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
