-- An output is listed until it is here: that a try is under way is known to who makes it, and nothing else asks.
UPDATE outputs SET state = 'listed' WHERE state = 'downloading';
