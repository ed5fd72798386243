ALTER TABLE vhosts ADD COLUMN "check" TEXT;
CREATE TABLE channels (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  target TEXT NOT NULL,
  events TEXT NOT NULL,
  quiet TEXT,
  enabled INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE TABLE incidents (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  event TEXT NOT NULL,
  subject TEXT NOT NULL,
  about TEXT NOT NULL,
  level TEXT NOT NULL,
  message TEXT NOT NULL,
  began_at INTEGER NOT NULL,
  flapping INTEGER NOT NULL DEFAULT 0,
  gone_at INTEGER,
  over_at INTEGER
);
CREATE INDEX incidents_open ON incidents (event, subject) WHERE over_at IS NULL;
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  channel_id INTEGER NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  incident_id INTEGER REFERENCES incidents (id) ON DELETE SET NULL,
  state TEXT NOT NULL,
  event TEXT,
  about TEXT NOT NULL,
  level TEXT NOT NULL,
  message TEXT NOT NULL,
  at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  sent_at INTEGER,
  digest TEXT,
  error TEXT
);
CREATE INDEX messages_waiting ON messages (channel_id, due_at) WHERE sent_at IS NULL;
CREATE INDEX messages_of_incident ON messages (incident_id);
