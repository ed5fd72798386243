CREATE TABLE answers (
  key TEXT PRIMARY KEY NOT NULL,
  whose TEXT NOT NULL,
  request TEXT NOT NULL,
  status INTEGER NOT NULL,
  etag TEXT,
  body BLOB,
  created_at INTEGER NOT NULL
);
CREATE INDEX answers_created_at ON answers (created_at);
CREATE INDEX answers_whose ON answers (whose, created_at);
