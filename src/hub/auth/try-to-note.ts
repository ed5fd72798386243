/** Writes that a request can do without. */
import { isStorageFault } from '../../shared/http.ts';

/**
 * Notes something about a request, such as the last use of a token. On a full or read-only disk the
 * request succeeds without it: reads must go on, above all those that watch the hub.
 * @throws what `write` throws for any other reason
 */
export function tryToNote(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!isStorageFault(error)) throw error;
  }
}
