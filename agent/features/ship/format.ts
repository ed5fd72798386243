/** How entries are written for a log engine. */
import { hostname } from 'node:os';
import type { LogPosition } from '../../logs/files/log-position.ts';

/** An entry of the access log on its way to the engine. */
export type ShipEntry = {
  /** The line as it is in the log, without its newline. */
  line: string;
  /** Milliseconds since 1970. */
  time: number;
  /** The position after the line. */
  position: LogPosition;
};

export const SHIP_FORMATS = ['loki', 'ndjson'] as const;
export type ShipFormat = (typeof SHIP_FORMATS)[number];

/** Loki's path; other engines that understand its format have it below a prefix. */
const LOKI_PATH = /\/loki\/api\/v1\/push$/;

/** The format that an engine's address suggests. */
export const formatOf = (url: string): ShipFormat =>
  LOKI_PATH.test(new URL(url).pathname) ? 'loki' : 'ndjson';

/**
 * Few, and the same for all entries: every combination of values is a stream of its own, and clients
 * can send any number of hosts.
 */
const LABELS = { job: 'signalbox', host: hostname() };

/** Body and media type of a request; `body` gets at least one entry. */
export const FORMAT_OF: Readonly<
  Record<ShipFormat, { mediaType: string; body: (entries: readonly ShipEntry[]) => string }>
> = {
  // Loki's push API, in its JSON form: nanoseconds as text, then the line.
  loki: {
    mediaType: 'application/json',
    body: (entries) =>
      JSON.stringify({
        streams: [
          { stream: LABELS, values: entries.map(({ time, line }) => [`${time}000000`, line]) },
        ],
      }),
  },
  ndjson: {
    mediaType: 'application/x-ndjson',
    body: (entries) => entries.map(({ line }) => `${line}\n`).join(''),
  },
};
