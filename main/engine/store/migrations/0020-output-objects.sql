-- Which stored object an output is: a digest of its address without the signature. Unknown for outputs of older versions.
ALTER TABLE outputs ADD COLUMN object TEXT;
