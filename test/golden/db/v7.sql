-- What signalbox of schema version 7 left behind; sessions were made to last.
-- session 7tJ6zwI25fWN4h2fb-YPnCZBodDkwZWd3AmzYQgDO6o
-- API token sbx_ctZRAWYMYQKCLBKfKfktIPUBPFNWI6ZJ0XoIKi
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
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
INSERT INTO agents VALUES(1,'local',NULL,NULL,0,0,NULL,NULL,0,0);
INSERT INTO agents VALUES(2,'vps','https://127.0.0.1:9','a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3',2,1,replace('{\n	http_port 8080\n	https_port 8443\n}','\n',char(10)),1795212000000,1795212000000,1795212000000);
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
INSERT INTO api_tokens VALUES('e2d7b169-45b2-4940-ba28-496459f2c955','d9fa0b04-9032-4d59-a294-36bb75708c76','scripts','f490cdf0ded5f52d56a0b91f33138f56e4ac192004335c8152929e05bb8c886a','write',NULL,1795257980965,1795257980962);
CREATE TABLE changelog (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  user_id TEXT NOT NULL,
  user_name TEXT NOT NULL,
  action TEXT NOT NULL,
  domain TEXT NOT NULL,
  diff TEXT,
  created_at INTEGER NOT NULL
, via TEXT, before TEXT, after TEXT, behind TEXT);
INSERT INTO changelog VALUES(1,'d9fa0b04-9032-4d59-a294-36bb75708c76','Ada','create','http://body.example',NULL,1795257980757,NULL,NULL,'{"id":1,"position":1,"domain":"http://body.example","config":"respond \"{upstream}\"","upstream":"127.0.0.1:8000","enabled":true,"createdAt":"2026-11-21T10:46:20.757Z","updatedAt":"2026-11-21T10:46:20.757Z"}',NULL);
INSERT INTO changelog VALUES(2,'d9fa0b04-9032-4d59-a294-36bb75708c76','Ada','create','http://block.example',NULL,1795257980790,NULL,NULL,'{"id":2,"position":2,"domain":"http://block.example","config":"http://block.example, http://www.block.example {\n\t# it''s a \"comment\"; ünïcode\n\trespond block\n}","upstream":"","enabled":true,"createdAt":"2026-11-21T10:46:20.790Z","updatedAt":"2026-11-21T10:46:20.790Z"}',NULL);
INSERT INTO changelog VALUES(3,'d9fa0b04-9032-4d59-a294-36bb75708c76','Ada','create','http://off.example',NULL,1795257980824,NULL,NULL,'{"id":3,"position":3,"domain":"http://off.example","config":"respond off","upstream":"","enabled":true,"createdAt":"2026-11-21T10:46:20.824Z","updatedAt":"2026-11-21T10:46:20.824Z"}',NULL);
INSERT INTO changelog VALUES(4,'d9fa0b04-9032-4d59-a294-36bb75708c76','Ada','toggle','http://off.example',NULL,1795257980840,NULL,'{"id":3,"position":3,"domain":"http://off.example","config":"respond off","upstream":"","enabled":true,"createdAt":"2026-11-21T10:46:20.824Z","updatedAt":"2026-11-21T10:46:20.824Z"}','{"id":3,"position":3,"domain":"http://off.example","config":"respond off","upstream":"","enabled":false,"createdAt":"2026-11-21T10:46:20.824Z","updatedAt":"2026-11-21T10:46:20.840Z"}',NULL);
INSERT INTO changelog VALUES(5,'d9fa0b04-9032-4d59-a294-36bb75708c76','Ada','update','http://block.example','{"old":{"config":"http://block.example, http://www.block.example {\n\t# it''s a \"comment\"; ünïcode\n\trespond block\n}"},"new":{"config":"http://block.example, http://www.block.example {\n\t# it''s a \"comment\"; ünïcode\n\trespond \"block, changed\"\n}"}}',1795257980874,NULL,'{"id":2,"position":2,"domain":"http://block.example","config":"http://block.example, http://www.block.example {\n\t# it''s a \"comment\"; ünïcode\n\trespond block\n}","upstream":"","enabled":true,"createdAt":"2026-11-21T10:46:20.790Z","updatedAt":"2026-11-21T10:46:20.790Z"}','{"id":2,"position":2,"domain":"http://block.example","config":"http://block.example, http://www.block.example {\n\t# it''s a \"comment\"; ünïcode\n\trespond \"block, changed\"\n}","upstream":"","enabled":true,"createdAt":"2026-11-21T10:46:20.790Z","updatedAt":"2026-11-21T10:46:20.874Z"}',NULL);
INSERT INTO changelog VALUES(6,'d9fa0b04-9032-4d59-a294-36bb75708c76','Ada','create','http://gone.example',NULL,1795257980910,NULL,NULL,'{"id":4,"position":4,"domain":"http://gone.example","config":"respond gone","upstream":"","enabled":true,"createdAt":"2026-11-21T10:46:20.910Z","updatedAt":"2026-11-21T10:46:20.910Z"}',NULL);
INSERT INTO changelog VALUES(7,'d9fa0b04-9032-4d59-a294-36bb75708c76','Ada','delete','http://gone.example',NULL,1795257980927,NULL,'{"id":4,"position":4,"domain":"http://gone.example","config":"respond gone","upstream":"","enabled":true,"createdAt":"2026-11-21T10:46:20.910Z","updatedAt":"2026-11-21T10:46:20.910Z"}',NULL,NULL);
INSERT INTO changelog VALUES(8,'d9fa0b04-9032-4d59-a294-36bb75708c76','Ada','update','http://body.example','{"old":{"upstream":"127.0.0.1:8000"},"new":{"upstream":"127.0.0.1:8001"}}',1795257980967,'scripts','{"id":1,"position":1,"domain":"http://body.example","config":"respond \"{upstream}\"","upstream":"127.0.0.1:8000","enabled":true,"createdAt":"2026-11-21T10:46:20.757Z","updatedAt":"2026-11-21T10:46:20.757Z"}','{"id":1,"position":1,"domain":"http://body.example","config":"respond \"{upstream}\"","upstream":"127.0.0.1:8001","enabled":true,"createdAt":"2026-11-21T10:46:20.757Z","updatedAt":"2026-11-21T10:46:20.967Z"}',NULL);
INSERT INTO changelog VALUES(9,'d9fa0b04-9032-4d59-a294-36bb75708c76','Ada','update','(preamble)','{"old":{"config":"{\n\thttp_port 8080\n\thttps_port 8443\n\tskip_install_trust\n}"},"new":{"config":"{\n\thttp_port 8080\n\thttps_port 8443\n\tskip_install_trust\n}\n\n(snippet) {\n\theader X-Snippet yes\n}"}}',1795257980994,NULL,'{"config":"{\n\thttp_port 8080\n\thttps_port 8443\n\tskip_install_trust\n}"}','{"config":"{\n\thttp_port 8080\n\thttps_port 8443\n\tskip_install_trust\n}\n\n(snippet) {\n\theader X-Snippet yes\n}"}',NULL);
INSERT INTO changelog VALUES(10,'d9fa0b04-9032-4d59-a294-36bb75708c76','Ada','toggle','http://off.example',NULL,1795257981037,NULL,'{"id":3,"position":3,"domain":"http://off.example","config":"respond off","upstream":"","enabled":false,"createdAt":"2026-11-21T10:46:20.824Z","updatedAt":"2026-11-21T10:46:20.840Z"}','{"id":3,"position":3,"domain":"http://off.example","config":"respond off","upstream":"","enabled":true,"createdAt":"2026-11-21T10:46:20.824Z","updatedAt":"2026-11-21T10:46:21.037Z"}',NULL);
INSERT INTO changelog VALUES(11,'d9fa0b04-9032-4d59-a294-36bb75708c76','Ada','toggle','http://off.example',NULL,1795257981060,NULL,'{"id":3,"position":3,"domain":"http://off.example","config":"respond off","upstream":"","enabled":true,"createdAt":"2026-11-21T10:46:20.824Z","updatedAt":"2026-11-21T10:46:21.037Z"}','{"id":3,"position":3,"domain":"http://off.example","config":"respond off","upstream":"","enabled":false,"createdAt":"2026-11-21T10:46:20.824Z","updatedAt":"2026-11-21T10:46:21.060Z"}',NULL);
INSERT INTO changelog VALUES(12,'d9fa0b04-9032-4d59-a294-36bb75708c76','Ada','create','(policy password)',NULL,1795304508179,NULL,NULL,'{"id":1,"name":"password","recipe":"basic-auth","values":{"users":[{"name":"ada","hash":"$2b$10$./I9py4tstZNDRcI9Eadt.vWHj48L7vRVZgZwL7CWbBID4pfOwNOK"}],"exemptNetworks":["127.0.0.1"]},"createdAt":"2026-11-21T23:41:48.179Z","updatedAt":"2026-11-21T23:41:48.179Z"}',NULL);
INSERT INTO changelog VALUES(13,'d9fa0b04-9032-4d59-a294-36bb75708c76','Ada','create','(policy closed)',NULL,1795304508216,NULL,NULL,'{"id":2,"name":"closed","recipe":"maintenance","values":{"text":"it''s \"closed\"; ünïcode"},"createdAt":"2026-11-21T23:41:48.216Z","updatedAt":"2026-11-21T23:41:48.216Z"}',NULL);
INSERT INTO changelog VALUES(14,'d9fa0b04-9032-4d59-a294-36bb75708c76','Ada','create','(policy gone)',NULL,1795304508257,NULL,NULL,'{"id":3,"name":"gone","recipe":"block","values":{"networks":["203.0.113.7"]},"createdAt":"2026-11-21T23:41:48.257Z","updatedAt":"2026-11-21T23:41:48.257Z"}',NULL);
INSERT INTO changelog VALUES(15,'d9fa0b04-9032-4d59-a294-36bb75708c76','Ada','delete','(policy gone)',NULL,1795304508298,NULL,'{"id":3,"name":"gone","recipe":"block","values":{"networks":["203.0.113.7"]},"createdAt":"2026-11-21T23:41:48.257Z","updatedAt":"2026-11-21T23:41:48.257Z"}',NULL,NULL);
INSERT INTO changelog VALUES(16,'d9fa0b04-9032-4d59-a294-36bb75708c76','Ada','update','(policy secret)','{"old":{"name":"password"},"new":{"name":"secret"}}',1795304508365,NULL,'{"id":1,"name":"password","recipe":"basic-auth","values":{"users":[{"name":"ada","hash":"$2b$10$./I9py4tstZNDRcI9Eadt.vWHj48L7vRVZgZwL7CWbBID4pfOwNOK"}],"exemptNetworks":["127.0.0.1"]},"createdAt":"2026-11-21T23:41:48.179Z","updatedAt":"2026-11-21T23:41:48.179Z"}','{"id":1,"name":"secret","recipe":"basic-auth","values":{"users":[{"name":"ada","hash":"$2b$10$./I9py4tstZNDRcI9Eadt.vWHj48L7vRVZgZwL7CWbBID4pfOwNOK"}],"exemptNetworks":["127.0.0.1"]},"createdAt":"2026-11-21T23:41:48.179Z","updatedAt":"2026-11-21T23:41:48.365Z"}',NULL);
INSERT INTO changelog VALUES(17,'d9fa0b04-9032-4d59-a294-36bb75708c76','Ada','update','http://body.example','{"old":{"policies":[],"tags":[]},"new":{"policies":["secret"],"tags":["media","home"]}}',1795304508468,NULL,'{"id":1,"position":1,"domain":"http://body.example","config":"respond \"{upstream}\"","upstream":"127.0.0.1:8001","enabled":true,"createdAt":"2026-11-21T10:46:20.757Z","updatedAt":"2026-11-21T10:46:20.967Z","policies":[],"tags":[]}','{"id":1,"position":1,"domain":"http://body.example","config":"respond \"{upstream}\"","upstream":"127.0.0.1:8001","enabled":true,"createdAt":"2026-11-21T10:46:20.757Z","updatedAt":"2026-11-21T23:41:48.468Z","policies":[1],"tags":["media","home"]}',NULL);
INSERT INTO changelog VALUES(18,'d9fa0b04-9032-4d59-a294-36bb75708c76','Ada','update','http://off.example','{"old":{"policies":[]},"new":{"policies":["closed","secret"]}}',1795304508552,NULL,'{"id":3,"position":3,"domain":"http://off.example","config":"respond off","upstream":"","enabled":false,"createdAt":"2026-11-21T10:46:20.824Z","updatedAt":"2026-11-21T10:46:21.060Z","policies":[],"tags":[]}','{"id":3,"position":3,"domain":"http://off.example","config":"respond off","upstream":"","enabled":false,"createdAt":"2026-11-21T10:46:20.824Z","updatedAt":"2026-11-21T23:41:48.552Z","policies":[2,1],"tags":[]}','["vps"]');
CREATE TABLE hub (
  id TEXT PRIMARY KEY NOT NULL,
  replaces INTEGER NOT NULL
, term INTEGER NOT NULL DEFAULT 1);
INSERT INTO hub VALUES('5ec0ffee5ec0ffee5ec0ffee5ec0ffee',0,1);
CREATE TABLE policies (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  name TEXT NOT NULL,
  recipe TEXT NOT NULL,
  "values" TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
INSERT INTO policies VALUES(1,'secret','basic-auth','{"users":[{"name":"ada","hash":"$2b$10$./I9py4tstZNDRcI9Eadt.vWHj48L7vRVZgZwL7CWbBID4pfOwNOK"}],"exemptNetworks":["127.0.0.1"]}',1795304508179,1795304508365);
INSERT INTO policies VALUES(2,'closed','maintenance','{"text":"it''s \"closed\"; ünïcode"}',1795304508216,1795304508216);
CREATE TABLE preamble (
  id INTEGER PRIMARY KEY NOT NULL DEFAULT 1,
  config TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  attempted_at INTEGER
);
INSERT INTO preamble VALUES(1,replace('{\n	http_port 8080\n	https_port 8443\n	skip_install_trust\n}\n\n(snippet) {\n	header X-Snippet yes\n}','\n',char(10)),1795257980994,1795257980767);
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
INSERT INTO sessions VALUES('a652b428-29c1-4642-a5b2-094597cbacdc','d9fa0b04-9032-4d59-a294-36bb75708c76','660aa0b485b73666e9ffbd66bb6e14ccedaa381645e43afcbd757054966d33d3','127.0.0.1','curl/8',4102444800000,1795257980721,1795257980721);
CREATE TABLE users (
  id TEXT PRIMARY KEY NOT NULL,
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
INSERT INTO users VALUES('d9fa0b04-9032-4d59-a294-36bb75708c76','Ada','ada@example.org','$argon2id$v=19$m=19456,t=2,p=1$C71nbUuQXmehIb4mzNmK4w$kzPtPtilSJqgtB6zVgwBaUIooKzOOpVUcJALt3WOcdA',1795257980719,1795257980719);
INSERT INTO users VALUES('54842103-0990-433c-b48f-df16f38afce4','Bob','bob@example.org','$argon2id$v=19$m=19456,t=2,p=1$OeIoCYNt0dBwy+fv5q523Q$usi8kPfqqmY21Hgc87sk8Ri8pImsntYSVLpN7Qh/iqg',1795257980744,1795257980744);
CREATE TABLE vhosts (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  position INTEGER NOT NULL,
  domain TEXT NOT NULL,
  config TEXT NOT NULL,
  upstream TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
, policies TEXT NOT NULL DEFAULT '[]', tags TEXT NOT NULL DEFAULT '[]', agents TEXT NOT NULL DEFAULT '[]', "check" TEXT);
INSERT INTO vhosts VALUES(1,1,'http://body.example','respond "{upstream}"','127.0.0.1:8001',1,1795257980757,1795304508468,'[1]','["media","home"]','[1,2]','{"path":"/","status":200}');
INSERT INTO vhosts VALUES(2,2,'http://block.example',replace('http://block.example, http://www.block.example {\n	# it''s a "comment"; ünïcode\n	respond "block, changed"\n}','\n',char(10)),'',1,1795257980790,1795257980874,'[]','[]','[]',NULL);
INSERT INTO vhosts VALUES(3,3,'http://off.example','respond off','',0,1795257980824,1795304508552,'[2,1]','[]','[]',NULL);
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
INSERT INTO channels VALUES(1,'Phone','ntfy','{"url":"https://ntfy.example.org","topic":"home"}','["proxy.down"]','{"from":"22:00","to":"07:00","timeZone":"Europe/Berlin"}',1,1763700000000,1763700000000);
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
INSERT INTO incidents VALUES(1,'proxy.down','agent 1','local','bad','Caddy is not running, or does not answer.',1763700000000,0,NULL,1763700060000);
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
INSERT INTO messages VALUES(1,1,1,'began','proxy.down','local','bad','Caddy is not running, or does not answer.',1763700000000,1763700000000,1,1763700001000,NULL,NULL);
INSERT INTO messages VALUES(2,1,1,'over','proxy.down','local','bad','Caddy is not running, or does not answer.',1763700060000,1763700060000,2,NULL,NULL,'HTTP 500');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('vhosts',4);
INSERT INTO sqlite_sequence VALUES('changelog',18);
INSERT INTO sqlite_sequence VALUES('policies',3);
INSERT INTO sqlite_sequence VALUES('agents',2);
INSERT INTO sqlite_sequence VALUES('channels',1);
INSERT INTO sqlite_sequence VALUES('incidents',1);
INSERT INTO sqlite_sequence VALUES('messages',2);
CREATE UNIQUE INDEX users_email ON users (email);
CREATE UNIQUE INDEX sessions_token_hash ON sessions (token_hash);
CREATE UNIQUE INDEX api_tokens_token_hash ON api_tokens (token_hash);
CREATE INDEX changelog_domain ON changelog (domain, id);
CREATE UNIQUE INDEX policies_name ON policies (name);
CREATE UNIQUE INDEX agents_name ON agents (name);
CREATE INDEX incidents_open ON incidents (event, subject) WHERE over_at IS NULL;
CREATE INDEX messages_waiting ON messages (channel_id, due_at) WHERE sent_at IS NULL;
CREATE INDEX messages_of_incident ON messages (incident_id);
COMMIT;
PRAGMA user_version = 7;
