/** Which images are icons. */

/** Bytes that an icon may have. */
export const MOST_BYTES = 64 * 1024;

/** By the first bytes, in hexadecimal, whatever its sender calls it. SVG is none of them: it can hold scripts. */
const BEGINNINGS: readonly (readonly [RegExp, string])[] = [
  [/^89504e470d0a1a0a/, 'image/png'],
  [/^ffd8ff/, 'image/jpeg'],
  [/^474946383[79]61/, 'image/gif'],
  [/^52494646.{8}57454250/, 'image/webp'],
  [/^00000100/, 'image/x-icon'],
];

/** The media type of an icon; null: it is none. */
export function imageType(bytes: Uint8Array): string | null {
  if (bytes.length > MOST_BYTES) return null;
  const begin = Buffer.from(bytes.subarray(0, 12)).toString('hex');
  return BEGINNINGS.find(([beginning]) => beginning.test(begin))?.[1] ?? null;
}
