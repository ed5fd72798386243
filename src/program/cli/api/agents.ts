/** `signalbox agents list|add|pause|resume|rename|remove|rotate`: the agents of the hub on this machine. */
import type { AgentView } from '../../../hub/http/agent-view.ts';
import { visible } from '../../../shared/visible.ts';
import type { Cli, Command, Given } from '../command.ts';
import { askLocalHub, jsonLine, type LocalRequest, usingHub } from './local-hub.ts';

/** What each action takes after its own name. */
const ARGUMENTS = {
  list: [],
  add: ['NAME', 'LINE'],
  pause: ['NAME'],
  resume: ['NAME'],
  rename: ['NAME', 'NEW'],
  remove: ['NAME'],
  rotate: ['NAME'],
} as const;

type Action = keyof typeof ARGUMENTS;

const ACTIONS = Object.keys(ARGUMENTS);
const isAction = (word: string): word is Action => Object.hasOwn(ARGUMENTS, word);

export const agents: Command = {
  name: 'agents',
  args: [
    { name: 'ACTION', words: ACTIONS },
    { name: 'NAME', optional: true },
    { name: 'LINE', optional: true },
  ],
  options: {
    replace: { summary: 'add: replace sites in its Caddy that this hub did not publish' },
    json: { summary: 'print JSON' },
  },
  summary: 'list, add, pause and remove the agents of the hub on this machine',
  help: `signalbox agents list
signalbox agents add NAME LINE         LINE is what "signalbox agent --invite" printed on the other
                                       machine; - reads it from standard input
signalbox agents pause|resume NAME     stop or resume publishing to it
signalbox agents rename NAME NEW
signalbox agents remove NAME           its Caddy keeps running unchanged
signalbox agents rotate NAME           gives it a new token, without an interruption

Prints the agent, or all of them: name, state, since when, version of Caddy, and address, separated
by tabs. Reasons for refused sites go to standard error. The hub must be running with the same
DATA_DIR. You need no password, but must be root or the user who runs the hub.
`,
  run: (given, cli) =>
    usingHub({ command: 'agents', wrong: whyWrong(given), run: () => carryOut(given, cli) }, cli),
};

/** @throws Refused */
async function carryOut(given: Given, cli: Cli): Promise<void> {
  const answer = await ask(given, cli);
  const shown = [answer].flat();
  cli.out(given.has('json') ? jsonLine(answer) : shown.map(row).join(''));
  if (given.args[0] === 'remove') {
    cli.err('Its Caddy keeps running unchanged until you stop it there.\n');
  }
  for (const { name, detail } of shown) {
    if (detail !== undefined) cli.err(`${name}: ${visible(detail)}\n`);
  }
}

/** Null if the words fit together. */
function whyWrong({ args: [action = '', ...rest], has }: Given): string | null {
  if (!isAction(action)) return `there is no action ${visible(action)}`;
  const takes = ARGUMENTS[action];
  if (rest.length !== takes.length) {
    return takes.length === 0
      ? `${action} takes no NAME`
      : `${action} takes ${takes.join(' and ')}`;
  }
  if (has('replace') && action !== 'add') return '--replace is only for add';
  return null;
}

/** What the hub says of an agent that it has removed. */
type Removed = { warnings: string[] };

/** @throws Refused */
async function ask(
  { args: [action, name = '', last = ''], has }: Given,
  { env, progress }: Pick<Cli, 'env' | 'progress'>,
): Promise<AgentView | AgentView[]> {
  if (action === 'list') return (await askLocalHub<AgentView[]>(env, { path: '/agents' })).body;
  const path = `/agents/${encodeURIComponent(name)}`;
  const send = async <T = AgentView>(label: string, request: LocalRequest): Promise<T> =>
    (await progress.during(label, askLocalHub<T>(env, request))).body;
  switch (action) {
    case 'add': {
      const invitation = last === '-' ? await Bun.stdin.text() : last;
      const to = has('replace') ? '/agents?replace=true' : '/agents';
      return send('enrolling', { method: 'POST', path: to, body: { name, invitation } });
    }
    case 'rename':
      return send('renaming', { method: 'PATCH', path, body: { name: last } });
    case 'remove': {
      const { detail: _, ...agent } = await send('removing', { path });
      const [detail] = (await send<Removed>('removing', { method: 'DELETE', path })).warnings;
      return detail === undefined ? agent : { ...agent, detail };
    }
    case 'rotate':
      return send('rotating', { method: 'POST', path: `${path}/rotate` });
    default:
      return send('publishing', { method: 'PATCH', path, body: { paused: action === 'pause' } });
  }
}

const row = ({ name, state, paused, since, proxy, url }: AgentView): string =>
  `${[name, paused ? `${state}, paused` : state, since, visible(proxy.version ?? '-'), visible(url ?? '-')].join('\t')}\n`;
