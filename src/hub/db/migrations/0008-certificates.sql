CREATE TABLE certificates (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  name TEXT NOT NULL,
  chain TEXT NOT NULL,
  key BLOB NOT NULL,
  provider TEXT,
  spec BLOB,
  failed_at INTEGER,
  failures INTEGER DEFAULT 0 NOT NULL,
  last_error TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX certificates_name ON certificates (name);
