-- What waits for a batch or a transfer, in its order. A ledger of schema 4 may have it already: that schema was made with it for some hours.
CREATE INDEX IF NOT EXISTS items_planning ON items (destination_id, base_id, kind, id)
  WHERE state = 'queued' AND fingerprint IS NOT NULL;
