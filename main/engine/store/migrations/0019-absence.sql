-- When a list proved that the service has nothing of a transfer that was sent before: engine time, epoch ms; 0 when that must be
-- proved anew before it is sent once more. Null for what never counted as lost.
ALTER TABLE transfers ADD COLUMN absent_at INTEGER;
-- The same of a file that is planned anew, and the latest time at which a byte of it can have left before.
ALTER TABLE items ADD COLUMN lost_absent_at INTEGER;
ALTER TABLE items ADD COLUMN lost_byte_at INTEGER;
UPDATE items SET lost_absent_at = 0, lost_byte_at = state_at WHERE vanished > 0;
UPDATE transfers SET absent_at = 0, last_byte_at = coalesce(last_byte_at, state_at)
  WHERE state IN ('planned', 'registered') AND doubtful = 0
    AND (last_byte_at IS NOT NULL OR id IN (SELECT transfer_id FROM items WHERE vanished > 0));
CREATE INDEX transfers_lost ON transfers (batch_row) WHERE state IN ('planned', 'registered') AND absent_at IS NOT NULL;
