-- Content is told by BLAKE3 from now on ('b3:' in the value). What earlier versions took in keeps its SHA-256: files of the
-- same size are compared by that, too.
CREATE INDEX items_by_sha256 ON items (size_bytes) WHERE fingerprint IS NOT NULL AND instr(fingerprint, 'b3:') = 0;
