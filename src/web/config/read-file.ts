/** A file of the person's own, as text. */

/** What the hub takes for an import or a restore. */
const MOST_BYTES = 16 * 1024 * 1024;

/** @throws Error with a sentence, where it is too large or no text */
export async function readTextFile(file: File): Promise<string> {
  if (file.size > MOST_BYTES) {
    throw new Error(`${file.name} is larger than the 16 MiB that can be taken.`);
  }
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${file.name} is no text in UTF-8.`);
  }
}
