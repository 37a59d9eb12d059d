-- What the promise rests on: how each body was proved, who else fills a batch, how late the service lists.

-- 'checksum': the storage stated the checksum of what it stored, and it is ours. 'verify': something of ours is there, and
-- each member must be compared before it is confirmed. null: nothing is known beyond the answer.
ALTER TABLE transfers ADD COLUMN proof TEXT CHECK (proof IN ('checksum', 'verify'));
-- Fresh addresses asked for because the last one was refused, since the last success.
ALTER TABLE transfers ADD COLUMN addresses INTEGER NOT NULL DEFAULT 0;

-- 1: its id holds the name of this computer, so others are not expected to fill it.
ALTER TABLE batches ADD COLUMN host_own INTEGER NOT NULL DEFAULT 0;
-- The slowest listing seen so far: from a last byte to the first listing that showed it, ms.
ALTER TABLE batches ADD COLUMN lag_ms INTEGER;
-- Names and shards of others at the last listing: when it grows, what is ours under a bare name is compared again.
ALTER TABLE batches ADD COLUMN foreign_seen INTEGER NOT NULL DEFAULT 0;
-- The service refuses file after file: nothing more goes there before this instant.
ALTER TABLE batches ADD COLUMN hold_code TEXT;
ALTER TABLE batches ADD COLUMN hold_detail TEXT;
ALTER TABLE batches ADD COLUMN hold_until INTEGER;
CREATE INDEX batches_expiry ON batches (expires_at) WHERE state <> 'expired';

-- How a file without a transfer of its own was proved: 'content'. null: by its transfer, or not.
ALTER TABLE items ADD COLUMN proof TEXT CHECK (proof IN ('checksum', 'content'));
-- Times that this file was sent, acknowledged and not found at the service.
ALTER TABLE items ADD COLUMN vanished INTEGER NOT NULL DEFAULT 0;
-- Addresses for shards that the service gave us here: more shards than that are of others, or of lost answers.
ALTER TABLE batches ADD COLUMN registrations INTEGER NOT NULL DEFAULT 0;
UPDATE batches SET registrations = (SELECT count(*) FROM transfers
  WHERE transfers.batch_row = batches.id AND transfers.kind = 'shard' AND transfers.state <> 'planned');
CREATE INDEX batches_held ON batches (hold_until) WHERE hold_until IS NOT NULL;
-- Identified items that wait to be compared with what the service has.
CREATE INDEX items_postponed ON items (retry_at)
  WHERE state = 'queued' AND fingerprint IS NOT NULL AND retry_at > 0;
