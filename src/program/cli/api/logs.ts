/** `signalbox logs`: the access log, and what is added to it. */
import { isNamed } from '../../../hub/model/vhost.ts';
import { visible } from '../../../shared/visible.ts';
import type { LogEntry, LogPage } from '../../../shared/wire/logs.ts';
import type { Paint } from '../../paint.ts';
import type { Cli, Command, Given } from '../command.ts';
import { followLog } from './follow-log.ts';
import { askLocalHub, jsonLine, Refused, usingHub } from './local-hub.ts';
import { listSites, type Site } from './sites.ts';

const LINES = 50;
const MOST_LINES = 10_000;
/** The most that the API has in a page. */
const PAGE = 500;

/** The filters of the API by the options that set them, and what they take. */
const FILTERS = {
  site: ['domain', 'DOMAIN', 'only requests for this site, by any of its names, or for this host'],
  status: ['status', 'STATUS', 'only this status, such as 404 or 5xx'],
  method: ['method', 'METHOD', 'only this method'],
  path: ['path', 'PATH', 'only paths that begin with it'],
  search: ['q', 'TEXT', 'only paths that contain it'],
  ip: ['ip', 'ADDRESS', 'only from this address'],
  'user-agent': ['userAgent', 'TEXT', 'only from user agents that contain it, in any case'],
  since: ['from', 'TIME', 'since then: 2026-11-20T18:00Z or, before now, 30s, 15m, 2h or 7d'],
  until: ['to', 'TIME', 'until then'],
  on: ['agent', 'NAME', 'only from the log of this agent'],
} as const;

export const logs: Command = {
  name: 'logs',
  args: [],
  options: {
    ...Object.fromEntries(
      Object.entries(FILTERS).map(([name, [, takes, summary]]) => [name, { takes, summary }]),
    ),
    lines: {
      short: 'n',
      takes: 'N',
      summary: `how many, at most ${MOST_LINES}; by default ${LINES}`,
    },
    follow: { short: 'f', summary: 'then print new ones as they arrive, until Ctrl+C' },
    json: { summary: 'print JSON, an object in each line' },
  },
  summary: 'print the access log, and follow it',
  help: `signalbox logs --site app.example --status 5xx --since 2h
signalbox logs -f

Prints the newest requests that match all filters, newest last: time (UTC), status, method, latency,
address, host and path; with several agents, also the agent. What is missing goes to standard error.
With --follow, it continues where it was if the hub is restarted. The hub must be running with the
same DATA_DIR. You need no password, but must be root or the user who runs the hub.
`,
  run: (given, cli) =>
    usingHub({ command: 'logs', wrong: whyWrong(given), run: () => print(given, cli) }, cli),
};

/** Null if the words fit together. */
function whyWrong({ has, value }: Given): string | null {
  const lines = value('lines') ?? '0';
  if (!/^\d{1,5}$/.test(lines) || Number(lines) > MOST_LINES) {
    return `--lines takes a number up to ${MOST_LINES}`;
  }
  if (has('follow') && has('until')) return '--follow does not go with --until';
  return null;
}

/** @throws Refused */
async function print(given: Given, cli: Cli): Promise<void> {
  const { env, err, out, paint } = cli;
  const query = queryOf(given, Date.now());
  const site = given.value('site');
  if (site !== undefined) query.set('domain', domainFilter(site, await listSites(cli)));
  const written = (entries: readonly LogEntry[]) =>
    out(entries.map((one) => (given.has('json') ? jsonLine(one) : lineOf(one, paint))).join(''));
  const printNewest = async () => {
    const entries = await newest(query, Number(given.value('lines') ?? LINES), cli);
    written(entries);
    return entries;
  };
  if (!given.has('follow')) {
    await printNewest();
    return;
  }
  const stop = new AbortController();
  void Promise.race([cli.stopSignal(), cli.readerGone()]).then(() => stop.abort());
  await followLog({
    env,
    query,
    signal: stop.signal,
    before: printNewest,
    written,
    said: (text) => err(`${text}\n`),
  });
}

/** All but the site. @param now what times before now are relative to, in milliseconds */
export function queryOf({ value }: Pick<Given, 'value'>, now: number): URLSearchParams {
  const query = new URLSearchParams();
  for (const [option, [name, takes]] of Object.entries(FILTERS)) {
    const given = value(option);
    if (given !== undefined) query.set(name, takes === 'TIME' ? timeIn(given, now) : given);
  }
  return query;
}

const UNITS: Readonly<Record<string, number>> = { s: 1e3, m: 60e3, h: 3600e3, d: 86_400e3 };

/** A time before now as a time; anything else as it is. @param given such as `2h` */
export function timeIn(given: string, now: number): string {
  const [, count, unit = ''] = /^(\d{1,5})([smhd])$/.exec(given) ?? [];
  if (count === undefined) return given;
  return new Date(now - Number(count) * (UNITS[unit] ?? 0)).toISOString();
}

/** All names of a site, or the name of a host. @throws Refused if no filter has all of them */
export function domainFilter(
  name: string,
  sites: readonly Pick<Site, 'domain' | 'addresses'>[],
): string {
  const host = hostOf(name);
  const site = sites.find(({ domain }) => isNamed(name, { domain }) || hostOf(domain) === host);
  if (!site) return host;
  const hosts = site.addresses.map(hostOf);
  if (hosts.every((one) => one !== '' && !/[{}]/.test(one))) return [...new Set(hosts)].join(' ');
  throw new Refused({ message: `${site.domain} answers to hosts that no filter can name` });
}

/** Of an address of a site. */
const hostOf = (address: string): string =>
  address
    .replace(/^https?:\/\//, '')
    .replace(/\/.*$/, '')
    .replace(/^([^:]*|\[.*\]):\d*$/, '$1');

/** The newest entries, newest last. Says what is missing. @throws Refused */
async function newest(
  query: URLSearchParams,
  count: number,
  { env, err, progress }: Cli,
): Promise<LogEntry[]> {
  const found: LogEntry[] = [];
  const asked = new URLSearchParams(query);
  const size = Math.min(count, PAGE);
  asked.set('pageSize', String(size));
  // What is added meanwhile must not move the pages.
  if (count > PAGE && !asked.has('to')) asked.set('to', new Date().toISOString());
  for (let page = 1; found.length < count; page++) {
    asked.set('page', String(page));
    const answer = askLocalHub<LogPage>(env, { path: `/logs?${asked}` });
    const { logs: some, partial, missing } = (await progress.during('reading', answer)).body;
    found.push(...some);
    if (some.length === size && found.length < count) continue;
    if (missing) err(`Without the log of ${missing.map(visible).join(', ')}: offline.\n`);
    if (partial) err('Not all of the log was read: there may be older entries.\n');
    break;
  }
  return found.slice(0, count).toReversed();
}

/** An entry for people. */
export function lineOf(
  { timestamp, status, method, latency, ip, domain, path, agent }: LogEntry,
  paint: Paint,
): string {
  const words = [
    visible(timestamp),
    colourOf(status, paint)(visible(String(status)).padStart(3)),
    visible(method).padEnd(4),
    visible(latency).padStart(10),
    visible(ip).padEnd(15),
    ...(agent === undefined ? [] : [visible(agent)]),
    visible(domain + path),
  ];
  return `${words.join(' ')}\n`;
}

function colourOf(status: number, { red, green, bold }: Paint): (text: string) => string {
  if (status >= 500) return red;
  if (status >= 400) return bold;
  return status >= 200 && status < 300 ? green : (text) => text;
}
