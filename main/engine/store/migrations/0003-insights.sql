-- Annotation insights as they were told, one row per day and period: what a trend is read from.
CREATE TABLE insight_snapshots (
  id INTEGER PRIMARY KEY,
  connection_id INTEGER NOT NULL REFERENCES connections (id),
  project TEXT NOT NULL,
  -- The day on which the service was asked, and the period it was asked about (YYYY-MM-DD, both ends included).
  day TEXT NOT NULL,
  from_day TEXT NOT NULL,
  until_day TEXT NOT NULL,
  totals TEXT NOT NULL,
  labelers TEXT NOT NULL,
  taken_at INTEGER NOT NULL,
  -- The last answer of a day stands for it.
  UNIQUE (connection_id, project, day, from_day, until_day)
) STRICT;
