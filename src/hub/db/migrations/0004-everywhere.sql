ALTER TABLE policies ADD COLUMN everywhere INTEGER NOT NULL DEFAULT 0;
ALTER TABLE vhosts ADD COLUMN "except" TEXT NOT NULL DEFAULT '[]';
UPDATE changelog SET
  before = json_set(before, '$.everywhere', json('false')),
  after = json_set(after, '$.everywhere', json('false'))
WHERE domain LIKE '(policy %';
UPDATE changelog SET
  before = json_set(before, '$.except', json('[]')),
  after = json_set(after, '$.except', json('[]'))
WHERE domain NOT LIKE '(%';
