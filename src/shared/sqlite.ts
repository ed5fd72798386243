/** How an SQLite file begins (sqlite.org/fileformat2.html, 1.3). */
export const SQLITE_MAGIC = 'SQLite format 3\0';

/** Whether some bytes, or the first of them, are of an SQLite file. */
export const isSqlite = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.subarray(0, SQLITE_MAGIC.length)).toString('latin1') === SQLITE_MAGIC;
