-- A batch whose transfers wait until somebody resumes it.
ALTER TABLE batches ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;

-- What waits for a batch or a transfer, in its order.
CREATE INDEX items_planning ON items (destination_id, base_id, kind, id)
  WHERE state = 'queued' AND fingerprint IS NOT NULL;
