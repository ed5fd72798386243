ALTER TABLE vhosts ADD source TEXT;
ALTER TABLE vhosts ADD applied TEXT;
ALTER TABLE policies ADD source TEXT;
ALTER TABLE policies ADD applied TEXT;
