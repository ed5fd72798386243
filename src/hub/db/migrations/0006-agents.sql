CREATE TABLE agents (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  name TEXT NOT NULL,
  url TEXT,
  fingerprint TEXT,
  generation INTEGER NOT NULL,
  paused INTEGER NOT NULL,
  preamble TEXT,
  behind_since INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX agents_name ON agents (name);
INSERT INTO agents (id, name, generation, paused, created_at, updated_at) VALUES (1, 'local', 0, 0, 0, 0);
ALTER TABLE vhosts ADD COLUMN agents TEXT NOT NULL DEFAULT '[]';
ALTER TABLE changelog ADD COLUMN behind TEXT;
ALTER TABLE hub ADD COLUMN term INTEGER NOT NULL DEFAULT 1;
