CREATE TABLE answers (
  key TEXT PRIMARY KEY NOT NULL,
  request TEXT NOT NULL,
  status INTEGER NOT NULL,
  etag TEXT,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX answers_created_at ON answers (created_at);
