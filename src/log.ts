/** The program's own log: one line per event on standard error. */

export type Log = (event: string, fields?: Record<string, unknown>) => void;

/** `2026-11-20T22:17:03.468Z proxy started pid=42`; values with spaces are quoted. */
export function createLog(write: (line: string) => void, now: () => Date): Log {
  return (event, fields = {}) => {
    const pairs = Object.entries(fields).map(([name, value]) => `${name}=${quoted(String(value))}`);
    write([now().toISOString(), event, ...pairs].join(' '));
  };
}

const quoted = (text: string) => (/^[\w.:/@-]+$/.test(text) ? text : JSON.stringify(text));
