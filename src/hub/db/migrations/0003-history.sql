ALTER TABLE changelog ADD COLUMN before TEXT;
ALTER TABLE changelog ADD COLUMN after TEXT;
CREATE INDEX changelog_domain ON changelog (domain, id);
