/** `signalbox site add|list|on|off|rm`: changes sites of the hub running on this machine. */
import { visible } from '../visible.ts';
import { type Cli, type Command, EXIT, type Given } from './command.ts';
import {
  askLocalHub,
  failRefused,
  failWithoutHub,
  type LocalAnswer,
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
async function ask(given: Given, { env, fail, progress }: Cli) {
  const [action = '', domain = '', upstream = ''] = given.args;
  const one = `/vhosts?${new URLSearchParams({ domain })}`;
  if (action === 'list') return askLocalHub<Site[]>(env, 'GET', '/vhosts');
  const send = (...request: ['POST' | 'PATCH' | 'DELETE', string, object?]) =>
    progress.during('publishing', askLocalHub<Site>(env, ...request));
  if (action === 'rm') return send('DELETE', one);
  if (action !== 'add') return send('PATCH', one, { enabled: action === 'on' });
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
  const enabled = !given.has('off');
  return send('POST', '/vhosts', { domain, config, upstream, agents, enabled, check });
}

const table = (sites: readonly Site[]): string =>
  sites
    .map(({ id, domain, upstream, enabled }) =>
      [id, visible(domain), visible(upstream), enabled ? 'on' : 'off'].join('\t'),
    )
    .map((line) => `${line}\n`)
    .join('');
