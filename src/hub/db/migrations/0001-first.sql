CREATE TABLE users (
  id TEXT PRIMARY KEY NOT NULL,
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX users_email ON users (email);

CREATE TABLE sessions (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  token_hash TEXT NOT NULL,
  ip_address TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX sessions_token_hash ON sessions (token_hash);

CREATE TABLE api_tokens (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  token_hash TEXT NOT NULL,
  scope TEXT NOT NULL,
  expires_at INTEGER,
  last_used_at INTEGER,
  created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX api_tokens_token_hash ON api_tokens (token_hash);

CREATE TABLE vhosts (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  position INTEGER NOT NULL,
  domain TEXT NOT NULL,
  config TEXT NOT NULL,
  upstream TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  policies TEXT NOT NULL DEFAULT '[]',
  tags TEXT NOT NULL DEFAULT '[]',
  agents TEXT NOT NULL DEFAULT '[]',
  "check" TEXT
);

CREATE TABLE policies (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  name TEXT NOT NULL,
  recipe TEXT NOT NULL,
  "values" TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX policies_name ON policies (name);

CREATE TABLE changelog (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  user_id TEXT NOT NULL,
  user_name TEXT NOT NULL,
  action TEXT NOT NULL,
  domain TEXT NOT NULL,
  diff TEXT,
  created_at INTEGER NOT NULL,
  via TEXT,
  before TEXT,
  after TEXT,
  behind TEXT
);
CREATE INDEX changelog_domain ON changelog (domain, id);

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

CREATE TABLE preamble (
  id INTEGER PRIMARY KEY NOT NULL DEFAULT 1,
  config TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  attempted_at INTEGER
);
INSERT INTO preamble (id, config, updated_at) VALUES (1, '', 0);

CREATE TABLE hub (
  id TEXT PRIMARY KEY NOT NULL,
  replaces INTEGER NOT NULL,
  term INTEGER NOT NULL DEFAULT 1
);
INSERT INTO hub (id, replaces) VALUES (lower(hex(randomblob(16))), 0);

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
