/** Seals secrets of the database with a key that is in a file beside it, in backups, and in no export. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { and, count, isNotNull, ne, sql } from 'drizzle-orm';
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { SEALED_BY_FEATURES } from '../../features/tables.ts';
import { Failure } from '../../shared/failure.ts';
import { fileErrorOf } from '../../shared/file-errors.ts';
import { newSecret, readIfThere } from '../../shared/system/files.ts';
import { agents, certificates } from './schema.ts';

export type Sealing = {
  /**
   * Makes the key if it is the first time that one is needed.
   * @param of table, row and column, such as `channels 3 target`: it opens as nothing else
   * @throws Failure SECRET_KEY_UNUSABLE; file system errors
   */
  seal(text: string, of: string): Buffer;
  /** @throws Failure SECRET_KEY_UNUSABLE, also for what another program changed */
  open(sealed: Buffer, of: string): string;
  /** What is wrong with the key, and what to do; null if nothing is, or if nothing needs the key. */
  fault(): string | null;
  key: SecretKey;
};

/** For what is derived from it. */
export type SecretKey = {
  /** @throws Failure SECRET_KEY_UNUSABLE */
  read(): Buffer;
  /**
   * Makes the key, unless there is one.
   * @param despiteAgents although agents have tokens of the lost one, because they get new ones now
   * @throws Failure SECRET_KEY_UNUSABLE if something is sealed with another one; file system errors
   */
  make(despiteAgents: boolean): void;
};

/** Of the key: 256 bits. */
const BYTES = 32;
const KEY = /^[\w-]{43}$/;

/** Of what is sealed: the format and the id of the key, the nonce, the text, the tag. */
const FORMAT = Buffer.from([1]);
const MARK_BYTES = FORMAT.length + 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const START_BYTES = MARK_BYTES + NONCE_BYTES;

/** What is sealed, and how to do without what was. */
export const SEALED = [
  ...SEALED_BY_FEATURES,
  {
    table: certificates,
    column: certificates.key,
    remedy: 'delete all kept certificates and add them again',
  },
  {
    table: certificates,
    column: certificates.spec,
    remedy: 'delete all kept certificates and add them again',
  },
] as const;

/** @param file readable only by its owner; never replaced as long as something is sealed with its key */
export function createSealing(db: Pick<BunSQLiteDatabase, 'select'>, file: string): Sealing {
  /** How to do without what is sealed, by a key with another mark if there is one. */
  const remediesFor = (mark?: Buffer): string[] => [
    ...new Set(
      SEALED.flatMap(({ table, column, remedy }) => {
        const isSealed = and(
          sql`${start(column, FORMAT.length)} = ${FORMAT}`,
          mark && ne(start(column, MARK_BYTES), mark),
        );
        return db.select({ all: count() }).from(table).where(isSealed).get()?.all ? [remedy] : [];
      }),
    ),
  ];

  const remediesForAgents = (): string[] =>
    db.select({ id: agents.id }).from(agents).where(isNotNull(agents.fingerprint)).get()
      ? ['invite this hub again from each agent']
      : [];

  /** @param what is wrong, after the name of the file */
  function unusable(what: string, remedies = [...remediesFor(), ...remediesForAgents()]): Failure {
    const lost = remedies.length === 0 ? '' : ` If there is none: ${remedies.join('; ')}.`;
    return new Failure(
      'SECRET_KEY_UNUSABLE',
      `DATA_DIR/secret-key ${what}: restore it from a backup and restart the hub.${lost}`,
    );
  }

  /** The key; null if there is no file. @throws Failure SECRET_KEY_UNUSABLE */
  function find(): Buffer | null {
    const text = readKeyFile(file)?.trim();
    if (text === undefined) return null;
    const key = keyFrom(text);
    if (key) return key;
    throw unusable('is damaged');
  }

  function read(): Buffer {
    const key = find();
    if (key) return key;
    throw unusable('is missing');
  }

  /** @throws Failure SECRET_KEY_UNUSABLE if what is sealed was sealed with another one */
  function assertRight(key: Buffer): void {
    const remedies = remediesFor(markOf(key));
    if (remedies.length > 0) throw unusable(WRONG, remedies);
  }

  function make(despiteAgents: boolean): void {
    const key = find();
    if (key) assertRight(key);
    else {
      const remedies = [...remediesFor(), ...(despiteAgents ? [] : remediesForAgents())];
      if (remedies.length > 0) throw unusable('is missing', remedies);
      newSecret(file, BYTES);
    }
  }

  return {
    key: { read, make },

    seal(text, of) {
      make(false);
      const key = read();
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', cipherKeyOf(key), nonce);
      cipher.setAAD(Buffer.from(of));
      const sealed = [cipher.update(text, 'utf8'), cipher.final()];
      return Buffer.concat([markOf(key), nonce, ...sealed, cipher.getAuthTag()]);
    },

    open(sealed, of) {
      const key = read();
      if (!sealed.subarray(0, MARK_BYTES).equals(markOf(key))) throw unusable(WRONG);
      try {
        const nonce = sealed.subarray(MARK_BYTES, START_BYTES);
        const decipher = createDecipheriv('aes-256-gcm', cipherKeyOf(key), nonce);
        decipher.setAAD(Buffer.from(of));
        decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
        const text = decipher.update(sealed.subarray(START_BYTES, -TAG_BYTES));
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch (cause) {
        const message = 'Another program changed a secret in the database: enter it again.';
        throw new Failure('SECRET_KEY_UNUSABLE', message, { cause });
      }
    },

    fault() {
      if ([...remediesFor(), ...remediesForAgents()].length === 0) return null;
      try {
        assertRight(read());
        return null;
      } catch (error) {
        if (error instanceof Failure) return error.message;
        throw error;
      }
    },
  };
}

/** The key as a file or a backup has it. @returns null if the text is none */
export function keyFrom(text: string | null): Buffer | null {
  const found = text?.trim() ?? '';
  return KEY.test(found) ? Buffer.from(found, 'base64url') : null;
}

/** @throws Failure SECRET_KEY_UNUSABLE */
function readKeyFile(file: string): string | null {
  try {
    return readIfThere(file);
  } catch (cause) {
    const why =
      fileErrorOf(cause, () => 'DATA_DIR/secret-key') ?? 'DATA_DIR/secret-key: unreadable';
    throw new Failure('SECRET_KEY_UNUSABLE', `${why}; correct that and restart the hub.`, {
      cause,
    });
  }
}

const WRONG = 'is not the key of this database';

const start = (column: SQLiteColumn, bytes: number) => sql`substr(${column}, 1, ${bytes})`;

const derive = (key: Buffer, info: string, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', info, bytes));

const cipherKeyOf = (key: Buffer): Buffer => derive(key, 'signalbox sealing', BYTES);

/** Names the key without telling it. */
export const markOf = (key: Buffer): Buffer =>
  Buffer.concat([FORMAT, derive(key, 'signalbox name of the key', MARK_BYTES - FORMAT.length)]);
