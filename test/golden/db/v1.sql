-- What signalbox of schema version 1 left behind; sessions were made to last.
-- session 7y3Bug87l7reAblZy3v6MaMvvFJNSQ4OFytrBdCdVQM
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
INSERT INTO users VALUES('4d248d32-e44d-4f84-8ec7-fbd173ef7871','Ada','ada@example.org','$argon2id$v=19$m=19456,t=2,p=1$Di1JktYp3dvpCmCaWZu0gQ$nKs8Wj+sILm8kHmBIt/3HsWAxi+R5nMj9fgt7WUB+sA',1795257979505,1795257979505);
INSERT INTO users VALUES('34b45a4e-49cc-4224-ae98-6bf67e9c1c15','Bob','bob@example.org','$argon2id$v=19$m=19456,t=2,p=1$EG3jVxlCi3oHC50eS9rV7A$C/jweKzq+/V9avDsSSaa+WaQRVigGxE8g4EFbcqbPrE',1795257979536,1795257979536);
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
INSERT INTO sessions VALUES('9431906e-bee9-4ac0-854d-e84baffefc94','4d248d32-e44d-4f84-8ec7-fbd173ef7871','dc48c7df6cc7ba2d75aa1a256e9a149af017db8ffc508218c8c2f14ef5fb3cf9','127.0.0.1','curl/8',4102444800000,1795257979508,1795257979508);
INSERT INTO sessions VALUES('48fbbf64-b6b3-48d2-b5ba-bd0c7359c978','34b45a4e-49cc-4224-ae98-6bf67e9c1c15','fa1420a0210f3f24f5d01b3260e580d9261574838488045d2c34e0fe52a8fc38','127.0.0.1','curl/8',4102444800000,1795257979538,1795257979538);
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
INSERT INTO vhosts VALUES(1,1,'http://body.example','respond "{upstream}"','127.0.0.1:8000',1,1795257979553,1795257979553);
INSERT INTO vhosts VALUES(2,2,'http://block.example',replace('http://block.example, http://www.block.example {\n	# it''s a "comment"; ünïcode\n	respond "block, changed"\n}','\n',char(10)),'',1,1795257979586,1795257979714);
INSERT INTO vhosts VALUES(3,3,'http://off.example','respond off','',0,1795257979618,1795257979667);
CREATE TABLE changelog (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  user_id TEXT NOT NULL,
  user_name TEXT NOT NULL,
  action TEXT NOT NULL,
  domain TEXT NOT NULL,
  diff TEXT,
  created_at INTEGER NOT NULL
);
INSERT INTO changelog VALUES(1,'4d248d32-e44d-4f84-8ec7-fbd173ef7871','Ada','create','http://body.example',NULL,1795257979553);
INSERT INTO changelog VALUES(2,'4d248d32-e44d-4f84-8ec7-fbd173ef7871','Ada','create','http://block.example',NULL,1795257979586);
INSERT INTO changelog VALUES(3,'4d248d32-e44d-4f84-8ec7-fbd173ef7871','Ada','create','http://off.example',NULL,1795257979618);
INSERT INTO changelog VALUES(4,'4d248d32-e44d-4f84-8ec7-fbd173ef7871','Ada','toggle','http://off.example',NULL,1795257979667);
INSERT INTO changelog VALUES(5,'4d248d32-e44d-4f84-8ec7-fbd173ef7871','Ada','update','http://block.example','{"old":{"config":"http://block.example, http://www.block.example {\n\t# it''s a \"comment\"; ünïcode\n\trespond block\n}"},"new":{"config":"http://block.example, http://www.block.example {\n\t# it''s a \"comment\"; ünïcode\n\trespond \"block, changed\"\n}"}}',1795257979714);
INSERT INTO changelog VALUES(6,'4d248d32-e44d-4f84-8ec7-fbd173ef7871','Ada','create','http://gone.example',NULL,1795257979783);
INSERT INTO changelog VALUES(7,'4d248d32-e44d-4f84-8ec7-fbd173ef7871','Ada','delete','http://gone.example',NULL,1795257979822);
CREATE TABLE preamble (
  id INTEGER PRIMARY KEY NOT NULL DEFAULT 1,
  config TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  attempted_at INTEGER
);
INSERT INTO preamble VALUES(1,replace('{\n	http_port 8080\n	https_port 8443\n	skip_install_trust\n}','\n',char(10)),1795257979317,1795257979559);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('vhosts',4);
INSERT INTO sqlite_sequence VALUES('changelog',7);
CREATE UNIQUE INDEX users_email ON users (email);
CREATE UNIQUE INDEX sessions_token_hash ON sessions (token_hash);
PRAGMA user_version = 1;
COMMIT;
