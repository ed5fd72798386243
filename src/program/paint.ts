/** Colours for a terminal, and only for a terminal. */
import type { Env } from './settings.ts';

export type Paint = Readonly<Record<'red' | 'green' | 'bold', (text: string) => string>>;

/** SGR parameters (ECMA-48 8.3.117): one to begin the colour, one to end it. */
const CODES = { red: [31, 39], green: [32, 39], bold: [1, 22] } as const;

/** Leaves text plain if the stream is no terminal, or NO_COLOR is set and not empty (no-color.org). */
export function createPaint(isTerminal: boolean, { NO_COLOR, TERM }: Env): Paint {
  const plain = !isTerminal || Boolean(NO_COLOR) || TERM === 'dumb';
  const painter = ([begin, end]: readonly [number, number]) => {
    return (text: string) => (plain ? text : `\u001b[${begin}m${text}\u001b[${end}m`);
  };
  return { red: painter(CODES.red), green: painter(CODES.green), bold: painter(CODES.bold) };
}
