/** A program that prints `halfway` in the middle of a migration, and then waits to be killed. */
import { Database } from 'bun:sqlite';
import { writeSync } from 'node:fs';
import { MIGRATIONS, migrate } from '../../src/hub/db/migrate.ts';

const file = process.argv[2] ?? '';
const scripts = [...MIGRATIONS, "UPDATE vhosts SET config = 'spoilt'", ''];
Object.defineProperty(scripts, scripts.length - 1, {
  get() {
    writeSync(1, 'halfway\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    return '';
  },
});
migrate(new Database(file, { readwrite: true }), file, scripts);
