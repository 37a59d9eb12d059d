-- A batch whose transfers wait until somebody resumes it.
ALTER TABLE batches ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;
