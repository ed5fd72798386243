/** Reads a file that the user has chosen. */

/** The hub's limit for an import or a restore. */
const MAX_BYTES = 16 * 1024 * 1024;

/** @throws Error with a sentence, if the file is too large or not UTF-8 */
export async function readTextFile(file: File): Promise<string> {
  if (file.size > MAX_BYTES) {
    throw new Error(`${file.name} is larger than the limit of 16 MiB.`);
  }
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${file.name} is not a UTF-8 text file.`);
  }
}
