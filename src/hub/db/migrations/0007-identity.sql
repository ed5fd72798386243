ALTER TABLE users ADD COLUMN role TEXT NOT NULL DEFAULT 'owner';
ALTER TABLE sessions ADD COLUMN proved_at INTEGER NOT NULL DEFAULT 0;
-- In clear as before: the hub seals them when it has its key.
ALTER TABLE channels ADD COLUMN sealed BLOB NOT NULL DEFAULT x'';
UPDATE channels SET sealed = CAST(target AS BLOB);
ALTER TABLE channels DROP COLUMN target;
ALTER TABLE channels RENAME COLUMN sealed TO target;
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
