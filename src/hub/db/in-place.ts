/** Notices that the file of an open database was replaced or removed: what is written then is lost. */
import { statSync } from 'node:fs';
import { Failure } from '../../shared/failure.ts';

/**
 * @param file the database, just opened
 * @returns throws Failure STORAGE_UNAVAILABLE if another file is there by now, or none
 */
export function createPlaceCheck(file: string): () => void {
  const identity = () => {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found && `${found.dev} ${found.ino}`;
  };
  const opened = identity();
  return () => {
    if (identity() === opened) return;
    throw new Failure('STORAGE_UNAVAILABLE', 'The database file was replaced; restart the hub.');
  };
}
