/** Colour for a terminal, and for nothing else. */
import type { Env } from './settings-reader.ts';

export type Paint = Readonly<Record<'red' | 'green' | 'bold', (text: string) => string>>;

/** SGR parameters (ECMA-48 8.3.117): what begins a colour, and what ends it. */
const CODES = { red: [31, 39], green: [32, 39], bold: [1, 22] } as const;

/** Plain where the stream is no terminal, and with NO_COLOR (no-color.org: any value but an empty one). */
export function createPaint(isTerminal: boolean, { NO_COLOR, TERM }: Env): Paint {
  const plain = !isTerminal || Boolean(NO_COLOR) || TERM === 'dumb';
  const painter = ([begin, end]: readonly [number, number]) => {
    return (text: string) => (plain ? text : `\u001b[${begin}m${text}\u001b[${end}m`);
  };
  return { red: painter(CODES.red), green: painter(CODES.green), bold: painter(CODES.bold) };
}
