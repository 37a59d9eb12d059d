-- Results and jobs: nothing that is asked for each file or each second walks a whole table.
CREATE INDEX IF NOT EXISTS outputs_batch ON outputs (connection_id, batch_id, part, file_name);
CREATE INDEX IF NOT EXISTS outputs_target ON outputs (target, id);
CREATE INDEX IF NOT EXISTS outputs_parked ON outputs (connection_id, id) WHERE state = 'parked';
CREATE INDEX IF NOT EXISTS jobs_state ON jobs (connection_id, state, id);

-- The stamp of the file as it was written here: while the file has it, it needs no reading to be known as untouched.
ALTER TABLE outputs ADD COLUMN stamp TEXT;
-- When this computer asked the service to abort the job, epoch ms; null: it did not.
ALTER TABLE jobs ADD COLUMN abort_asked_at INTEGER;
