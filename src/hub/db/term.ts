/** The term of a hub's database: of two copies, agents obey the one with the higher term. */
import { Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { storedVersion } from './version.ts';

type Identity = { id: string; term: number };

export type TermOptions = {
  /** The path of the database that is to be replaced. */
  current: string;
  /** Makes agents obey this copy from now on, and no other one whose term is at most `above`. */
  promote?: { above: number } | undefined;
};

/**
 * Sets the term of a copy that is about to be used: at least that of the database it replaces, if
 * both are of one hub, because agents know that one; higher if it is promoted.
 */
export function setTerm(copy: Database, { current, promote }: TermOptions): void {
  const { id, term } = identityOf(copy);
  const before = identityIn(current);
  const known = Math.max(term, before?.id === id ? before.term : 1);
  const next = promote ? Math.max(known, promote.above) + 1 : known;
  copy.query('UPDATE hub SET term = ?').run(next);
}

const identityOf = (sqlite: Database): Identity =>
  sqlite.query('SELECT id, term FROM hub').get() as Identity;

/** Null if it cannot be read. */
function identityIn(file: string): Identity | null {
  try {
    // SQLite would delete the log of a file that it does not recognise.
    if (!existsSync(file) || storedVersion(file) === 0) return null;
    const sqlite = new Database(file, { readwrite: true, strict: true });
    try {
      return identityOf(sqlite);
    } finally {
      sqlite.close();
    }
  } catch {
    return null;
  }
}
