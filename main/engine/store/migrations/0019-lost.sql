-- What counted as lost and waits to be sent again: it is in doubt again when an outage or another run comes in between.
CREATE INDEX transfers_lost ON transfers (batch_row)
  WHERE state IN ('planned', 'registered') AND doubtful = 0 AND last_byte_at IS NOT NULL;
CREATE INDEX items_vanished ON items (transfer_id) WHERE vanished > 0 AND state = 'planned';
