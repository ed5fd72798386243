/** `signalbox site add|list|on|off|rm`: changes sites of the hub running on this machine. */
import { isNamed } from '../../hub/model/vhost.ts';
import { nearest } from '../../shared/nearest.ts';
import type { Env } from '../settings.ts';
import { visible } from '../visible.ts';
import { type Cli, type Command, EXIT, type Given } from './command.ts';
import {
  askLocalHub,
  failRefused,
  failWithoutHub,
  type LocalAnswer,
  type LocalRequest,
  type Refusal,
  warnOfBehind,
} from './local-hub.ts';

type Site = {
  id: number;
  domain: string;
  upstream: string;
  enabled: boolean;
  /** The agents whose proxies lack the change. */
  behind?: string[];
};

const ACTIONS = ['add', 'list', 'on', 'off', 'rm'];

/** The options that only `add` takes. */
const ADDING = ['config', 'on', 'off', 'check', 'expect'];

/** What a check may expect. */
const STATUS = /^[2-5]\d\d$/;

/** What a site does that has only an upstream. */
const FORWARD = 'reverse_proxy {upstream}';

export const site: Command = {
  name: 'site',
  args: [
    { name: 'ACTION', words: ACTIONS },
    { name: 'DOMAIN', optional: true },
    { name: 'UPSTREAM', optional: true },
  ],
  options: {
    config: { summary: 'add: the site’s Caddyfile text, instead of forwarding', takes: 'FILE' },
    on: { summary: 'add: only on the proxies of these agents', takes: 'NAME,…' },
    off: { summary: 'add: do not serve the site yet' },
    check: { summary: 'add: refuse the site if it does not answer at this path', takes: 'PATH' },
    expect: {
      summary: 'add: the status it must answer with; without it, any 2xx',
      takes: 'STATUS',
    },
    json: { summary: 'print JSON' },
  },
  summary: 'add, list, turn on or off, and remove sites',
  help: `signalbox site list
signalbox site add DOMAIN UPSTREAM     forwards to host:port, or to a URL without a path
signalbox site add DOMAIN --config -   reads Caddyfile text from standard input, or from a FILE;
                                       {upstream} in it stands for UPSTREAM
signalbox site on|off|rm DOMAIN

With --check /health, the site must answer at that path within 5 s. Otherwise it is not added, and
the command prints the actual response. Redirects are not followed. Later changes of the site are
checked in the same way.

Prints the site, or all of them: id, domain, upstream, and on or off, separated by tabs. When the
command returns, the change is live, or nothing changed. Unreachable agents are listed on standard
error. The hub must be running with the same DATA_DIR. You need no password, but must be root or the
user who runs the hub.
`,
  async run(given, cli) {
    const wrong = whyWrong(given);
    if (wrong !== null) {
      cli.fail(`signalbox site: ${wrong}`);
      return EXIT.usage;
    }
    let answer: LocalAnswer<Site | Site[]> | null;
    try {
      answer = await ask(given, cli);
    } catch {
      return failWithoutHub('site', cli);
    }
    if (answer === null) return EXIT.failed;
    if ('refusal' in answer) return failRefused('site', answer.refusal, cli);
    for (const { behind } of [answer.body].flat()) if (behind) warnOfBehind(behind, cli);
    cli.out(given.has('json') ? `${JSON.stringify(answer.body)}\n` : table([answer.body].flat()));
    return EXIT.done;
  },
};

/** Null if the words fit together. */
function whyWrong({ args: [action = '', domain, upstream], has, value }: Given): string | null {
  const isAdd = action === 'add';
  if (action === 'list') return domain === undefined ? null : 'list takes no DOMAIN';
  if (domain === undefined) return `${action} needs a DOMAIN`;
  if (!isAdd && upstream !== undefined) return `${action} takes only a DOMAIN`;
  const option = ADDING.find(has);
  if (!isAdd && option !== undefined) return `--${option} is only for add`;
  if (isAdd && upstream === undefined && !has('config')) {
    return 'add needs an UPSTREAM or --config FILE';
  }
  if (has('check') && !value('check')?.startsWith('/'))
    return '--check takes a path, such as /health';
  if (has('expect') && !has('check')) return '--expect needs --check PATH';
  if (has('expect') && !STATUS.test(value('expect') ?? '')) {
    return '--expect takes a status from 200 to 599';
  }
  return null;
}

/** Null if the file cannot be read, which is printed. @throws if no hub answers */
async function ask(given: Given, cli: Cli): Promise<LocalAnswer<Site | Site[]> | null> {
  const { env, progress } = cli;
  const [action = '', domain = ''] = given.args;
  if (action === 'list') return askLocalHub<Site[]>(env, { path: '/vhosts' });
  const publishing = <T>(answer: Promise<T>) => progress.during('publishing', answer);
  if (action !== 'add') return publishing(changed(action, domain, env));
  const body = await toAdd(given, cli);
  return body && publishing(publish(env, { method: 'POST', path: '/vhosts', body }));
}

/** Null if the file cannot be read, which is printed. */
async function toAdd(given: Given, { fail }: Cli): Promise<object | null> {
  const [, domain = '', upstream = ''] = given.args;
  const file = given.value('config');
  let config = FORWARD;
  try {
    if (file !== undefined) config = await (file === '-' ? Bun.stdin : Bun.file(file)).text();
  } catch {
    fail(`signalbox site: ${file} cannot be read`);
    return null;
  }
  const agents = given.value('on')?.split(',') ?? [];
  const [path, status] = [given.value('check'), given.value('expect')];
  const check =
    path === undefined ? null : { path, ...(status !== undefined && { status: Number(status) }) };
  return { domain, config, upstream, agents, enabled: !given.has('off'), check };
}

/** Turns a site on or off, or removes it. One that is so already stays as it is. */
async function changed(action: string, domain: string, env: Env): Promise<LocalAnswer<Site>> {
  const listed = await askLocalHub<Site[]>(env, { path: '/vhosts' });
  if ('refusal' in listed) return listed;
  const found = find(domain, listed.body);
  if (!found) return { refusal: noSite(domain, listed.body) };
  const path = `/vhosts/${found.id}`;
  const shown = await askLocalHub<Site>(env, { path });
  if ('refusal' in shown) return shown;
  const { body: site, etag } = shown;
  const headers = { 'If-Match': etag };
  let answer: LocalAnswer<Site>;
  if (action === 'rm') {
    answer = await publish(env, { method: 'DELETE', path, headers });
    if ('body' in answer) return { ...shown, body: { ...site, ...behindOf(answer.body) } };
  } else {
    if (site.enabled === (action === 'on')) return shown;
    answer = await publish(env, { method: 'PATCH', path: `${path}/toggle`, headers });
  }
  // Someone else was faster: it may be another site by now, or be so already.
  const isStale = 'refusal' in answer && answer.refusal.code === 'PRECONDITION_FAILED';
  return isStale ? changed(action, domain, env) : answer;
}

/** Leaves out what is wrong with the upstream: the command is about the change. */
async function publish(env: Env, request: LocalRequest): Promise<LocalAnswer<Site>> {
  const answer = await askLocalHub<Site & { warnings?: unknown }>(env, request);
  if ('refusal' in answer) return answer;
  const { warnings: _, ...body } = answer.body;
  return { ...answer, body };
}

const behindOf = ({ behind }: Site) => (behind ? { behind } : {});

/** By its domain, or without the scheme if no other site has that domain. */
const find = (domain: string, sites: readonly Site[]): Site | undefined =>
  [domain, `http://${domain}`, `https://${domain}`]
    .flatMap((name) => sites.find((one) => isNamed(name, one)) ?? [])
    .at(0);

function noSite(domain: string, sites: readonly Site[]): Refusal {
  const near = nearest(
    domain,
    sites.map((one) => one.domain),
  );
  const hint = near === undefined ? {} : { hint: `Did you mean ${near}?` };
  return { code: 'NOT_FOUND', message: `There is no site ${domain}.`, ...hint };
}

const table = (sites: readonly Site[]): string =>
  sites
    .map(({ id, domain, upstream, enabled }) =>
      [id, visible(domain), visible(upstream), enabled ? 'on' : 'off'].join('\t'),
    )
    .map((line) => `${line}\n`)
    .join('');
