-- What signalbox of schema version 2 left behind; sessions were made to last.
-- session -wzH9HpkT2dtBTP6YQkYd0WYUvwxnFU09rGgtRP0xIA
-- API token sbx_zK8LZQoKBr1dnSl1gZIbBvdewjFzflH02Q17ts
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE users (
  id TEXT PRIMARY KEY NOT NULL,
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
INSERT INTO users VALUES('832994c6-06fa-4e45-bb08-2ac2a2670ebd','Ada','ada@example.org','$argon2id$v=19$m=19456,t=2,p=1$exwY/Id8y1ZNsQBG98MSlA$BJ/dKtcvdfdYBuMYzQrp+JGduOgFy5I7hJMtqxTfyQs',1795257980145,1795257980145);
INSERT INTO users VALUES('67a603bf-3aff-4c34-b1fd-7fc6b7f03aec','Bob','bob@example.org','$argon2id$v=19$m=19456,t=2,p=1$/JLP0BhQb4Oe+LUqPJwNRg$lX0laFmGq5XRPtCs7tidfsnYr28fPib2nHMEJEDLXOE',1795257980208,1795257980208);
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
INSERT INTO sessions VALUES('c0046f69-e182-46f1-b14d-934156b87b2c','832994c6-06fa-4e45-bb08-2ac2a2670ebd','f9685840554a79eeb8ce33cc83c7ca79b4600e656360bf75e6483537ab9d2623','127.0.0.1','curl/8',4102444800000,1795257980146,1795257980146);
CREATE TABLE vhosts (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  position INTEGER NOT NULL,
  domain TEXT NOT NULL,
  config TEXT NOT NULL,
  upstream TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
INSERT INTO vhosts VALUES(1,1,'http://body.example','respond "{upstream}"','127.0.0.1:8001',1,1795257980219,1795257980420);
INSERT INTO vhosts VALUES(2,2,'http://block.example',replace('http://block.example, http://www.block.example {\n	# it''s a "comment"; ünïcode\n	respond "block, changed"\n}','\n',char(10)),'',1,1795257980249,1795257980334);
INSERT INTO vhosts VALUES(3,3,'http://off.example','respond off','',0,1795257980273,1795257980304);
CREATE TABLE changelog (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  user_id TEXT NOT NULL,
  user_name TEXT NOT NULL,
  action TEXT NOT NULL,
  domain TEXT NOT NULL,
  diff TEXT,
  created_at INTEGER NOT NULL
, via TEXT);
INSERT INTO changelog VALUES(1,'832994c6-06fa-4e45-bb08-2ac2a2670ebd','Ada','create','http://body.example',NULL,1795257980219,NULL);
INSERT INTO changelog VALUES(2,'832994c6-06fa-4e45-bb08-2ac2a2670ebd','Ada','create','http://block.example',NULL,1795257980249,NULL);
INSERT INTO changelog VALUES(3,'832994c6-06fa-4e45-bb08-2ac2a2670ebd','Ada','create','http://off.example',NULL,1795257980273,NULL);
INSERT INTO changelog VALUES(4,'832994c6-06fa-4e45-bb08-2ac2a2670ebd','Ada','toggle','http://off.example',NULL,1795257980304,NULL);
INSERT INTO changelog VALUES(5,'832994c6-06fa-4e45-bb08-2ac2a2670ebd','Ada','update','http://block.example','{"old":{"config":"http://block.example, http://www.block.example {\n\t# it''s a \"comment\"; ünïcode\n\trespond block\n}"},"new":{"config":"http://block.example, http://www.block.example {\n\t# it''s a \"comment\"; ünïcode\n\trespond \"block, changed\"\n}"}}',1795257980334,NULL);
INSERT INTO changelog VALUES(6,'832994c6-06fa-4e45-bb08-2ac2a2670ebd','Ada','create','http://gone.example',NULL,1795257980353,NULL);
INSERT INTO changelog VALUES(7,'832994c6-06fa-4e45-bb08-2ac2a2670ebd','Ada','delete','http://gone.example',NULL,1795257980388,NULL);
INSERT INTO changelog VALUES(8,'832994c6-06fa-4e45-bb08-2ac2a2670ebd','Ada','update','http://body.example','{"old":{"upstream":"127.0.0.1:8000"},"new":{"upstream":"127.0.0.1:8001"}}',1795257980420,'scripts');
CREATE TABLE preamble (
  id INTEGER PRIMARY KEY NOT NULL DEFAULT 1,
  config TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  attempted_at INTEGER
);
INSERT INTO preamble VALUES(1,replace('{\n	http_port 8080\n	https_port 8443\n	skip_install_trust\n}','\n',char(10)),1795257980024,1795257980226);
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
INSERT INTO api_tokens VALUES('a5f3b104-0a77-47d2-aa53-93a074f1220c','832994c6-06fa-4e45-bb08-2ac2a2670ebd','scripts','92731297f361f19e154c09f2704490e3316aa3e381638cbeae10363c5d548798','write',NULL,1795257980418,1795257980415);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('vhosts',4);
INSERT INTO sqlite_sequence VALUES('changelog',8);
CREATE UNIQUE INDEX users_email ON users (email);
CREATE UNIQUE INDEX sessions_token_hash ON sessions (token_hash);
CREATE UNIQUE INDEX api_tokens_token_hash ON api_tokens (token_hash);
PRAGMA user_version = 2;
COMMIT;
