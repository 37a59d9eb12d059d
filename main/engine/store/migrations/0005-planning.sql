-- What waits for a batch or a transfer, in its order. A ledger may have it already: for some days, step 4 made it.
CREATE INDEX IF NOT EXISTS items_planning ON items (destination_id, base_id, kind, id)
  WHERE state = 'queued' AND fingerprint IS NOT NULL;
