/** `signalbox site list|show|add|on|off|rm`: the sites of the hub running on this machine. */
import { visible, visibleLines } from '../../../shared/visible.ts';
import type { Cli, Command, Given } from '../command.ts';
import { jsonLine, readGiven, usingHub, warnOfBehind } from './local-hub.ts';
import {
  changeSite,
  listSites,
  publishSite,
  readSite,
  type Site,
  siteNamed,
  siteRows,
  siteWith,
  stateWord,
  withHealth,
} from './sites.ts';

type Action = {
  /** What it takes after its own name; more than `least` may be left out. */
  takes: readonly string[];
  least: number;
  options: readonly string[];
  /** @throws Refused */
  run: (given: Given, cli: Cli) => Promise<Site | Site[]>;
};

/** @param toChange below the path of the site; null if it stays as it is */
const changing = (
  toChange: (site: Site) => { method: 'PATCH' | 'DELETE'; below: string } | null,
): Action => ({
  takes: ['DOMAIN'],
  least: 1,
  options: [],
  run: ({ args: [, domain = ''] }, cli) =>
    changeSite(
      (sites) => siteNamed(domain, sites),
      (site) => {
        const change = toChange(site);
        return change && { method: change.method, path: `/vhosts/${site.id}${change.below}` };
      },
      cli,
    ),
});

const toggling = (on: boolean): Action =>
  changing(({ enabled }) => (enabled === on ? null : { method: 'PATCH', below: '/toggle' }));

const ACTIONS: Readonly<Record<string, Action>> = {
  list: {
    takes: [],
    least: 0,
    options: [],
    run: async (_given, cli) => withHealth(await listSites(cli), cli),
  },
  show: {
    takes: ['DOMAIN'],
    least: 1,
    options: [],
    run: async ({ args: [, domain = ''] }, cli) => {
      const { body } = await readSite(siteWith(domain, await listSites(cli)), cli);
      return (await withHealth([body], cli))[0] ?? body;
    },
  },
  add: {
    takes: ['DOMAIN', 'UPSTREAM'],
    least: 1,
    options: ['config', 'on', 'off', 'check', 'expect', 'every'],
    run: addSite,
  },
  on: toggling(true),
  off: toggling(false),
  rm: changing(() => ({ method: 'DELETE', below: '' })),
};

/** What a check may expect. */
const STATUS = /^[2-5]\d\d$/;

/** How often it may ask between changes, in seconds: 0, or 10 to 3600. */
const EVERY = /^(?:0|[1-9]\d{1,2}|[12]\d{3}|3[0-5]\d{2}|3600)$/;

/** What a site does that has only an upstream. */
const FORWARD = 'reverse_proxy {upstream}';

export const site: Command = {
  name: 'site',
  args: [
    { name: 'ACTION', words: Object.keys(ACTIONS) },
    { name: 'DOMAIN', optional: true },
    { name: 'UPSTREAM', optional: true },
  ],
  options: {
    config: { summary: 'its Caddyfile text, instead of forwarding', takes: 'FILE' },
    on: { summary: 'only on the proxies of these agents', takes: 'NAME,…' },
    off: { summary: 'do not serve the site yet' },
    check: { summary: 'add it only if it then answers at this path', takes: 'PATH' },
    expect: { summary: 'the status it must answer with; without it, any 2xx', takes: 'STATUS' },
    every: { summary: 'how often the check asks between changes; usually 60', takes: 'SECONDS' },
    json: { summary: 'print JSON' },
  },
  summary: 'list, show, add, turn on or off, and remove sites',
  help: `signalbox site list
signalbox site show DOMAIN             everything about it, by any of its addresses
signalbox site add DOMAIN UPSTREAM     forwards to host:port, or to a URL without a path
signalbox site add DOMAIN --config -   reads Caddyfile text from standard input, or from a FILE;
                                       {upstream} in it stands for UPSTREAM
signalbox site on|off|rm DOMAIN

The options but --json are for add. What else there is of a site, "signalbox api PUT /vhosts/ID"
changes; the id is that of list.

With --check /health, the site must answer at that path within 5 s. Otherwise nothing is changed,
and the command prints the actual response. Redirects are not followed. Later changes of the site
are checked in the same way. Between changes it is asked every 60 s, or as --every says (10 to 3600;
0 for never), and twice wrong in a row is an incident.

Prints the site, or all of them: id, domain, upstream, and on or off, separated by tabs. Instead of
on, list and show print the state: live, down, or what else is wrong, as in the dashboard. When the
command returns, the change is live, or nothing changed. Unreachable agents are listed on standard
error. The hub must be running with the same DATA_DIR. You need no password, but must be root or the
user who runs the hub.
`,
  run: (given, cli) =>
    usingHub({ command: 'site', wrong: whyWrong(given), run: () => carryOut(given, cli) }, cli),
};

/** @throws Refused */
async function carryOut(given: Given, cli: Cli): Promise<void> {
  const [name = ''] = given.args;
  const answer = await ACTIONS[name]?.run(given, cli);
  const sites = [answer ?? []].flat();
  for (const { behind } of sites) if (behind) warnOfBehind(behind, cli);
  if (given.has('json')) cli.out(jsonLine(answer));
  else cli.out(name === 'show' ? sites.map(pageOf).join('') : siteRows(sites));
}

/** Null if the words fit together. */
function whyWrong({ args, has, value }: Given): string | null {
  const [name = '', ...rest] = args;
  const action = ACTIONS[name];
  if (!action) return `there is no action ${visible(name)}`;
  const { takes, least, options } = action;
  if (rest.length < least) return `${name} needs a ${takes[0]}`;
  if (rest.length > takes.length) return `${name} takes ${takes.join(' and ') || 'no DOMAIN'} only`;
  const stray = Object.keys(site.options).find(
    (option) => option !== 'json' && has(option) && !options.includes(option),
  );
  if (stray !== undefined) return `${name} takes no --${stray}`;
  if (name === 'add' && rest.length < 2 && !has('config')) {
    return 'add needs an UPSTREAM or --config FILE';
  }
  if (has('check') && !value('check')?.startsWith('/')) {
    return '--check takes a path, such as /health';
  }
  const lone = ['expect', 'every'].find(has);
  if (lone !== undefined && !has('check')) return `--${lone} needs --check PATH`;
  if (has('expect') && !STATUS.test(value('expect') ?? '')) {
    return '--expect takes a status from 200 to 599';
  }
  if (has('every') && !EVERY.test(value('every') ?? '')) {
    return '--every takes 10 to 3600 seconds, or 0';
  }
  return null;
}

/** @throws Refused */
async function addSite({ args, has, value }: Given, cli: Cli): Promise<Site> {
  const [, domain = '', upstream = ''] = args;
  const file = value('config');
  const config = file === undefined ? FORWARD : await readGiven(file);
  const agents = value('on')?.split(',') ?? [];
  const [path, status, every] = [value('check'), value('expect'), value('every')];
  const check =
    path === undefined
      ? null
      : {
          path,
          ...(status !== undefined && { status: Number(status) }),
          ...(every !== undefined && { every: Number(every) }),
        };
  const body = { domain, config, upstream, agents, enabled: !has('off'), check };
  return publishSite({ method: 'POST', path: '/vhosts', body }, cli);
}

/** All of a site, for people: its fields, and then its config. */
function pageOf(one: Site): string {
  const { id, domain, addresses, upstream, health, policies, except, tags, agents, check, config } =
    one;
  const fields = {
    domain,
    'also at': addresses.slice(1).join(', '),
    id: String(id),
    state: stateWord(one) + (health?.text ? `: ${health.text}` : ''),
    upstream,
    policies: policies.join(', '),
    'left out': except.join(', '),
    tags: tags.join(', '),
    proxies: agents.join(', ') || 'all',
    check: check ? JSON.stringify(check) : '',
    changed: one.updatedAt,
  };
  const lines = Object.entries(fields)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name.padEnd(10)}${visible(value)}\n`);
  // A viewer's token does not get it.
  if (config === undefined) return lines.join('');
  return `${lines.join('')}\n${visibleLines(config).replace(/\n*$/, '\n')}`;
}
