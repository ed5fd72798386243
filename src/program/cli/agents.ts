/** `signalbox agents list|add|pause|resume|rename|remove|rotate`: the agents of the hub on this machine. */
import type { AgentView } from '../../hub/http/agent-view.ts';
import { visible } from '../visible.ts';
import { type Cli, type Command, EXIT, type Given } from './command.ts';
import {
  askLocalHub,
  failRefused,
  failWithoutHub,
  type LocalAnswer,
  type LocalRequest,
} from './local-hub.ts';

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
  async run(given, cli) {
    const wrong = whyWrong(given);
    if (wrong !== null) {
      cli.fail(`signalbox agents: ${wrong}`);
      return EXIT.usage;
    }
    let answer: LocalAnswer<AgentView | AgentView[]>;
    try {
      answer = await ask(given, cli);
    } catch {
      return failWithoutHub('agents', cli);
    }
    if ('refusal' in answer) return failRefused('agents', answer.refusal, cli);
    const shown = [answer.body].flat();
    cli.out(given.has('json') ? `${JSON.stringify(answer.body)}\n` : shown.map(row).join(''));
    if (given.args[0] === 'remove') {
      cli.err('Its Caddy keeps running unchanged until you stop it there.\n');
    }
    for (const { name, detail } of shown) {
      if (detail !== undefined) cli.err(`${name}: ${visible(detail)}\n`);
    }
    return EXIT.done;
  },
};

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

/** @throws if no hub answers */
async function ask(
  { args: [action, name = '', last = ''], has }: Given,
  { env, progress }: Pick<Cli, 'env' | 'progress'>,
): Promise<LocalAnswer<AgentView | AgentView[]>> {
  if (action === 'list') return askLocalHub<AgentView[]>(env, { path: '/agents' });
  const path = `/agents/${encodeURIComponent(name)}`;
  const send = (label: string, request: LocalRequest): Promise<LocalAnswer<AgentView>> =>
    progress.during(label, askLocalHub(env, request));
  switch (action) {
    case 'add': {
      const invitation = last === '-' ? await Bun.stdin.text() : last;
      const to = has('replace') ? '/agents?replace=true' : '/agents';
      return send('enrolling', { method: 'POST', path: to, body: { name, invitation } });
    }
    case 'rename':
      return send('renaming', { method: 'PATCH', path, body: { name: last } });
    case 'remove': {
      const shown = await send('removing', { path });
      const request: LocalRequest = { method: 'DELETE', path };
      const removed = await progress.during('removing', askLocalHub<Removed>(env, request));
      if ('refusal' in removed) return removed;
      if ('refusal' in shown) return shown;
      const { detail: _, ...agent } = shown.body;
      const [warning] = removed.body.warnings;
      return { ...shown, body: warning === undefined ? agent : { ...agent, detail: warning } };
    }
    case 'rotate':
      return send('rotating', { method: 'POST', path: `${path}/rotate` });
    default:
      return send('publishing', { method: 'PATCH', path, body: { paused: action === 'pause' } });
  }
}

const row = ({ name, state, paused, since, proxy, url }: AgentView): string =>
  `${[name, paused ? `${state}, paused` : state, since, visible(proxy.version ?? '-'), visible(url)].join('\t')}\n`;
