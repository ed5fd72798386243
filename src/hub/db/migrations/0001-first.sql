CREATE TABLE users (
  id TEXT PRIMARY KEY NOT NULL,
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  role TEXT NOT NULL DEFAULT 'owner'
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
  updated_at INTEGER NOT NULL,
  proved_at INTEGER NOT NULL DEFAULT 0
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
  "check" TEXT,
  "except" TEXT NOT NULL DEFAULT '[]',
  source TEXT,
  applied TEXT
);

CREATE TABLE policies (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  name TEXT NOT NULL,
  recipe TEXT NOT NULL,
  "values" TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  everywhere INTEGER NOT NULL DEFAULT 0,
  source TEXT,
  applied TEXT
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
  behind TEXT,
  group_id INTEGER NOT NULL DEFAULT 0,
  summary TEXT
);
CREATE INDEX changelog_domain ON changelog (domain, id);
CREATE INDEX changelog_group ON changelog (group_id, id);

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
  events TEXT NOT NULL,
  quiet TEXT,
  enabled INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  target BLOB NOT NULL DEFAULT x''
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
  over_at INTEGER,
  problem TEXT NOT NULL DEFAULT '',
  untold INTEGER NOT NULL DEFAULT 0
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

CREATE TABLE uptime (
  vhost_id INTEGER NOT NULL REFERENCES vhosts (id) ON DELETE CASCADE,
  hour INTEGER NOT NULL,
  asked INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  p50 INTEGER,
  p95 INTEGER,
  PRIMARY KEY (vhost_id, hour)
) WITHOUT ROWID;

CREATE TABLE open_hours (
  vhost_id INTEGER PRIMARY KEY NOT NULL REFERENCES vhosts (id) ON DELETE CASCADE,
  hour INTEGER NOT NULL,
  asked INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  times TEXT NOT NULL
);

CREATE TABLE failing_checks (
  vhost_id INTEGER NOT NULL REFERENCES vhosts (id) ON DELETE CASCADE,
  agent_id INTEGER NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
  since INTEGER NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (vhost_id, agent_id)
) WITHOUT ROWID;

CREATE TABLE icons (
  vhost_id INTEGER PRIMARY KEY NOT NULL REFERENCES vhosts (id) ON DELETE CASCADE,
  asked_at INTEGER NOT NULL,
  upstream TEXT NOT NULL,
  path TEXT,
  version TEXT,
  image BLOB
);

CREATE TABLE two_factors (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  secret BLOB NOT NULL,
  codes TEXT NOT NULL,
  verified INTEGER NOT NULL,
  last_step INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  locked_until INTEGER,
  PRIMARY KEY (user_id, verified)
);

CREATE TABLE passkeys (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  credential_id TEXT NOT NULL,
  public_key BLOB NOT NULL,
  counter INTEGER NOT NULL,
  device_type TEXT NOT NULL,
  backed_up INTEGER NOT NULL,
  transports TEXT NOT NULL,
  aaguid TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
);
CREATE UNIQUE INDEX passkeys_credential_id ON passkeys (credential_id);
CREATE INDEX passkeys_user_id ON passkeys (user_id);

CREATE TABLE linked_accounts (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  provider TEXT NOT NULL,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX linked_accounts_subject ON linked_accounts (provider, issuer, subject);
CREATE INDEX linked_accounts_user_id ON linked_accounts (user_id);

CREATE TABLE challenges (
  id_hash TEXT PRIMARY KEY NOT NULL,
  kind TEXT NOT NULL,
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  data TEXT NOT NULL,
  failures INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE invitations (
  id TEXT PRIMARY KEY NOT NULL,
  token_hash TEXT NOT NULL,
  role TEXT NOT NULL,
  email TEXT,
  invited_by TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX invitations_token_hash ON invitations (token_hash);

CREATE TABLE security_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  actor TEXT,
  actor_name TEXT NOT NULL,
  via TEXT,
  target TEXT NOT NULL,
  ip TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  outcome TEXT NOT NULL,
  detail TEXT NOT NULL
);
CREATE INDEX security_log_kind ON security_log (kind, id);
CREATE INDEX security_log_at ON security_log (at);

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
