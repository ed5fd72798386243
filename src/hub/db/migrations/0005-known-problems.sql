CREATE TABLE known_problems (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  problem TEXT NOT NULL,
  words TEXT NOT NULL,
  until TEXT,
  "by" TEXT NOT NULL,
  over_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX known_problems_problem ON known_problems (problem);
ALTER TABLE incidents ADD COLUMN problem TEXT NOT NULL DEFAULT '';
ALTER TABLE incidents ADD COLUMN untold INTEGER NOT NULL DEFAULT 0;
