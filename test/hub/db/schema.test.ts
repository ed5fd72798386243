import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { is } from 'drizzle-orm';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import * as accounts from '../../../src/hub/db/accounts-schema.ts';
import { openDatabase } from '../../../src/hub/db/open.ts';
import * as schema from '../../../src/hub/db/schema.ts';
import { folderForFile } from '../../harness/for-file.ts';

const folder = folderForFile();

const FEATURES = join(import.meta.dir, '../../../src/features');
const ofFeatures = await Promise.all(
  [...new Bun.Glob('*/tables.ts').scanSync(FEATURES)].map(
    (file) => import(join(FEATURES, file)) as Promise<object>,
  ),
);
const tables = [accounts, schema, ...ofFeatures]
  .flatMap((all) => Object.values(all))
  .filter((value) => is(value, SQLiteTable));

test('the migrations create exactly the tables of the schema', () => {
  openDatabase(join(folder, 'fresh')).close();
  const sqlite = new Database(join(folder, 'fresh', 'signalbox.db'));
  type Column = { name: string; type: string; notnull: number; pk: number };
  for (const table of tables) {
    const { name, columns, primaryKeys } = getTableConfig(table);
    const inKey = new Set(primaryKeys.flatMap((key) => key.columns));
    const made = sqlite.query(`PRAGMA table_info(${name})`).all() as Column[];
    expect(
      made.map((column) => [column.name, column.type, column.notnull === 1, column.pk > 0]),
    ).toEqual(
      columns.map((column) => [
        column.name,
        column.getSQLType().toUpperCase(),
        column.notNull,
        column.primary || inKey.has(column),
      ]),
    );
  }
  const names = sqlite
    .query("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all() as { name: string }[];
  expect(names.map(({ name }) => name).toSorted()).toEqual(
    tables.map((table) => getTableConfig(table).name).toSorted(),
  );
  sqlite.close();
});

test('it uses WAL, syncs at each commit and enforces foreign keys', () => {
  const { db, close } = openDatabase(join(folder, 'pragmas'));
  const pragma = (name: string) => Object.values(db.get(`PRAGMA ${name}`) as object)[0];
  expect(pragma('journal_mode')).toBe('wal');
  expect(pragma('synchronous')).toBe(2);
  expect(pragma('foreign_keys')).toBe(1);
  expect(Object.values(db.get('PRAGMA busy_timeout') as object)[0]).toBe(200);
  close();
});
