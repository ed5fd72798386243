ALTER TABLE changelog ADD COLUMN group_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE changelog ADD COLUMN summary TEXT;
UPDATE changelog SET group_id = id;
CREATE INDEX changelog_group ON changelog (group_id, id);
