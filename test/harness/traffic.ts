/** Requests of the recent past, written into the proxy's access log. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { line } from '../agent/logs/lines.ts';
import type { Stack } from './stack.ts';

type Traffic = { host: string; minutesAgo: number; requests: number; status: number };

/** Oldest first, as Caddy writes them; each group within one second. */
export function writeLog(
  { accessLog }: Pick<Stack, 'accessLog'>,
  groups: readonly Traffic[],
): void {
  const now = Math.floor(Date.now() / 1000);
  const lines = groups
    .toSorted((a, b) => b.minutesAgo - a.minutesAgo)
    .flatMap(({ host, minutesAgo, requests, status }) =>
      Array.from({ length: requests }, (_, at) =>
        line({
          ts: now - minutesAgo * 60 + at / 1000,
          status,
          duration: 0.02,
          request: { host, uri: `/${status}/${at}` },
        }),
      ),
    );
  mkdirSync(dirname(accessLog), { recursive: true });
  appendFileSync(accessLog, `${lines.join('\n')}\n`);
}
