-- How many items of a batch are confirmed, counted as they move: a batch of a million is asked about again and again.
ALTER TABLE batches ADD COLUMN confirmed INTEGER NOT NULL DEFAULT 0;
UPDATE batches SET confirmed =
  (SELECT count(*) FROM items WHERE items.batch_row = batches.id AND items.state = 'confirmed');
CREATE TRIGGER items_confirmed AFTER UPDATE OF state, batch_row ON items
  WHEN (NEW.state = 'confirmed' OR OLD.state = 'confirmed')
    AND (NEW.state <> OLD.state OR NEW.batch_row IS NOT OLD.batch_row) BEGIN
  UPDATE batches SET confirmed = confirmed - 1 WHERE id = OLD.batch_row AND OLD.state = 'confirmed';
  UPDATE batches SET confirmed = confirmed + 1 WHERE id = NEW.batch_row AND NEW.state = 'confirmed';
END;
CREATE TRIGGER items_confirmed_new AFTER INSERT ON items WHEN NEW.state = 'confirmed' BEGIN
  UPDATE batches SET confirmed = confirmed + 1 WHERE id = NEW.batch_row;
END;
CREATE TRIGGER items_confirmed_gone AFTER DELETE ON items WHEN OLD.state = 'confirmed' BEGIN
  UPDATE batches SET confirmed = confirmed - 1 WHERE id = OLD.batch_row;
END;
