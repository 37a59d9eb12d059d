-- How much of an output's part is on disk for certain: a download is resumed from there. Unknown for parts of older versions.
ALTER TABLE outputs ADD COLUMN synced_bytes INTEGER NOT NULL DEFAULT 0;
