-- It holds a BLAKE3 hash since 0013, and the SHA-256 of what earlier versions took in.
ALTER TABLE items RENAME COLUMN sha256 TO content_hash;
