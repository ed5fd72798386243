/** What errors of the file system, and SQLite's about it, mean in words for people. */

const WORDS: Readonly<Record<string, string>> = {
  ENOSPC: 'there is no space left on the disk, or no room for another file',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'it would exceed the limit on the size of files',
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder, not a file',
  ERR_FS_EISDIR: 'it is a folder, not a file',
  EEXIST: 'something else is in its place',
  ENOTDIR: 'a file is in the place of a folder',
  ELOOP: 'symbolic links in its path lead in a circle',
  ENOENT: 'there is no such file or folder',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open on this machine',
  EIO: 'the disk fails',
  SQLITE_FULL: 'there is no space left on the disk',
  SQLITE_READONLY: 'the database cannot be written to',
  SQLITE_CANTOPEN: 'the database cannot be opened',
  SQLITE_IOERR: 'the disk is full, or it fails',
};

/**
 * `/data/agent-token: the file system is read-only`; null if it is not such an error.
 * @param nameOf what to call the file, by its path
 */
export function fileErrorOf(error: unknown, nameOf = (path: string) => path): string | null {
  const { code, path } = (error ?? {}) as { code?: unknown; path?: unknown };
  if (typeof code !== 'string') return null;
  // SQLite's extended codes begin with the plain one: SQLITE_IOERR_WRITE.
  const words = WORDS[code] ?? WORDS[code.split('_', 2).join('_')];
  if (words === undefined) return null;
  return typeof path === 'string' ? `${nameOf(path)}: ${words}` : words;
}

/** Names the file in an error that does not, or names a temporary one. @returns the same error */
export const ofFile = (file: string, error: unknown): unknown =>
  fileErrorOf(error) === null ? error : Object.assign(error as Error, { path: file });
