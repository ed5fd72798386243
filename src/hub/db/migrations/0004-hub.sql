CREATE TABLE hub (
  id TEXT PRIMARY KEY NOT NULL,
  replaces INTEGER NOT NULL
);
INSERT INTO hub SELECT lower(hex(randomblob(16))), EXISTS (SELECT 1 FROM changelog);
