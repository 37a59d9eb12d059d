-- When a list proved that the service has nothing of a transfer that was sent before, engine time, epoch ms; 0 when that must be
-- proved anew. Null for what was never sent, and for what is sent or in doubt.
ALTER TABLE transfers ADD COLUMN absent_at INTEGER;
UPDATE transfers SET absent_at = 0 WHERE state IN ('planned', 'registered') AND doubtful = 0
  AND (last_byte_at IS NOT NULL OR id IN (SELECT transfer_id FROM items WHERE vanished > 0));
CREATE INDEX transfers_lost ON transfers (batch_row) WHERE state IN ('planned', 'registered') AND absent_at IS NOT NULL;
