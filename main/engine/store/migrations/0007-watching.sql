-- What watches ask for every second stands on rows of its own, so that nothing is counted again and again.

-- Times that a file had to be read again: it read differently than expected, or was locked. See item.unstable.
ALTER TABLE items ADD COLUMN rereads INTEGER NOT NULL DEFAULT 0;

-- Items of ours in a batch, skipped ones aside, and the one that came into it last.
ALTER TABLE batches ADD COLUMN item_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE batches ADD COLUMN newest_item INTEGER;
-- 1: every source of a closed batch has moved where its rule wanted it.
ALTER TABLE batches ADD COLUMN sources_moved INTEGER NOT NULL DEFAULT 0;
UPDATE batches SET
  item_count = (SELECT count(*) FROM items WHERE batch_row = batches.id AND state <> 'skipped'),
  newest_item = (SELECT max(id) FROM items WHERE batch_row = batches.id);

CREATE TRIGGER items_placed AFTER UPDATE OF batch_row ON items WHEN NEW.batch_row IS NOT OLD.batch_row BEGIN
  UPDATE batches SET item_count = item_count - 1 WHERE id = OLD.batch_row AND OLD.state <> 'skipped';
  UPDATE batches SET item_count = item_count + (NEW.state <> 'skipped'), newest_item = NEW.id
    WHERE id = NEW.batch_row;
END;
CREATE TRIGGER items_left_out AFTER UPDATE OF state ON items
  WHEN NEW.batch_row IS OLD.batch_row AND (NEW.state = 'skipped') <> (OLD.state = 'skipped') BEGIN
  UPDATE batches SET item_count = item_count + CASE NEW.state WHEN 'skipped' THEN -1 ELSE 1 END
    WHERE id = NEW.batch_row;
END;
CREATE TRIGGER items_deleted AFTER DELETE ON items WHEN OLD.batch_row IS NOT NULL AND OLD.state <> 'skipped' BEGIN
  UPDATE batches SET item_count = item_count - 1 WHERE id = OLD.batch_row;
END;

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
