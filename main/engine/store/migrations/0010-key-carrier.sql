-- Where the service was seen to take the key. null: not known yet, so it is in the query, as is documented.
ALTER TABLE connections ADD COLUMN key_carrier TEXT CHECK (key_carrier IN ('query', 'header'));
