/** Corrects the line that Caddy names for a mistake. Pure. */

/** Caddy says this of a nested directive, with the line where the block around it ends. */
const NESTED = /^unrecognized directive: (\S+) - /;

/** The line of `text`, from 1, that a mistake is on; `named` is the one in Caddy's words. */
export function mistakeLine(text: string, named: number, words = ''): number {
  const directive = NESTED.exec(words)?.[1];
  if (directive === undefined) return named;
  const lines = text.split('\n').slice(0, named);
  const found = lines.findLastIndex((line) => line.trim().split(/\s/)[0] === directive);
  return found < 0 ? named : found + 1;
}
