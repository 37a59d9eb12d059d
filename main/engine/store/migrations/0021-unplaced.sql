-- Files that need a person before they get a batch: counted for the batch they would go to, which may be read often.
CREATE INDEX items_unplaced ON items (destination_id) WHERE state = 'parked' AND batch_row IS NULL;
