-- What watches ask for again and again is found by look-ups, so that nothing is counted or walked each second.

-- Times that a file had to be read again: it read differently than expected, or was locked. See item.unstable.
ALTER TABLE items ADD COLUMN rereads INTEGER NOT NULL DEFAULT 0;

-- 1: every source of a closed batch has moved where its rule wanted it.
ALTER TABLE batches ADD COLUMN sources_moved INTEGER NOT NULL DEFAULT 0;

-- When the newest item of a destination was found, epoch ms.
ALTER TABLE destinations ADD COLUMN last_found_at INTEGER;
UPDATE destinations SET last_found_at =
  (SELECT found_at FROM items WHERE id = (SELECT max(id) FROM items WHERE destination_id = destinations.id));
CREATE TRIGGER items_found AFTER INSERT ON items BEGIN
  UPDATE destinations SET last_found_at = NEW.found_at WHERE id = NEW.destination_id;
END;

CREATE INDEX batches_by_watch ON batches (watch_id, state) WHERE watch_id IS NOT NULL;
CREATE INDEX batches_to_move ON batches (watch_id) WHERE sources_moved = 0 AND state <> 'open';
CREATE INDEX moves_planned ON moved_sources (item_id) WHERE state = 'planned';
