/** `signalbox caddy [restart]`: the program of Caddy that each agent runs, and the change to another one. */
import type { FeatureCommand } from '../../../feature.ts';
import { askLocalHub, jsonLine, Refused, usingHub } from '../../../program/cli/api/local-hub.ts';
import type { Cli, Given } from '../../../program/cli/command.ts';
import { visible } from '../../../shared/visible.ts';
import type { ProgramsView as Programs } from '../routes.ts';

export const caddy: FeatureCommand = {
  follows: 'agents',
  name: 'caddy',
  args: [{ name: 'ACTION', words: ['restart'], optional: true }],
  options: {
    on: { takes: 'AGENT', summary: 'only of this agent, instead of all, one after another' },
    json: { summary: 'print JSON: the answers of /api/proxy/programs' },
  },
  summary: 'show the program of Caddy and its known holes, or restart it',
  help: `signalbox caddy               the program that runs, and another one at PROXY_BIN
signalbox caddy restart       restarts Caddy, with the program that is at PROXY_BIN now

Another program, such as apt puts there, is tried before visitors get it: with each site once, a
handshake for every name, and the last week's requests. If anything is worse, nothing has changed,
and you see what, by site. For a minute afterwards, the program before runs again if the new one
ends. More: docs/caddy-program.md

With several agents, they follow one after another, up to the first that refuses; those before it
keep the new program. The hub must be running with the same DATA_DIR. You need no password, but must
be root or the user who runs the hub.
`,
  run: (given, cli) =>
    usingHub({ command: 'caddy', wrong: null, run: () => carryOut(given, cli) }, cli),
};

/** @throws Refused */
async function carryOut(given: Given, cli: Cli): Promise<void> {
  const only = given.value('on');
  const all = () => askLocalHub<{ name: string }[]>(cli.env, { path: '/agents' });
  const names = only === undefined ? (await all()).body.map(({ name }) => name) : [only];
  const done: Programs[] = [];
  const act = given.args[0] === undefined ? show : restart;
  try {
    for (const name of names) {
      const found = await act(name, cli).catch((error: unknown) => {
        if (names.length === 1 || !(error instanceof Refused)) throw error;
        const { refusal } = error;
        if (act === restart) throw new Refused(stoppedAt(name, refusal, names));
        cli.err(`${visible(name)}: ${visible(refusal.message)}\n`);
        return null;
      });
      if (found === null) continue;
      done.push(found);
      if (!given.has('json')) cli.out(textOf(found, cli));
    }
  } finally {
    if (given.has('json')) cli.out(jsonLine(only === undefined ? done : (done[0] ?? null)));
  }
}

const pathFor = (route: string, name: string): string =>
  `/proxy/${route}?agent=${encodeURIComponent(name)}`;

/** @throws Refused */
const show = async (name: string, { env }: Cli): Promise<Programs> =>
  (await askLocalHub<Programs>(env, { path: pathFor('programs', name) })).body;

/** @throws Refused */
async function restart(name: string, { env, progress }: Cli): Promise<Programs> {
  const asked = askLocalHub<Programs>(env, { method: 'POST', path: pathFor('restart', name) });
  return (await progress.during(`restarting Caddy on ${visible(name)}`, asked)).body;
}

/** Says what became of the others. */
function stoppedAt(name: string, refusal: Refused['refusal'], names: readonly string[]) {
  const rest = names.slice(names.indexOf(name) + 1).map(visible);
  const unasked = rest.length > 0 ? `Not restarted: ${rest.join(', ')}.` : '';
  const hint = [refusal.hint, unasked].filter(Boolean).join(' ');
  return { ...refusal, message: `${name}: ${refusal.message}`, ...(hint !== '' && { hint }) };
}

const nameOf = ({ version }: { version: string | null }): string =>
  `Caddy ${visible(version ?? 'from source')}`;

/** All that is known, for a person. */
function textOf(found: Programs, { paint }: Pick<Cli, 'paint'>): string {
  const { agent, current, next, managed, command, advisories, safe } = found;
  const since = current?.since ? `, since ${visible(current.since)}` : '';
  const lines = [`${visible(agent)}: ${current ? nameOf(current) : 'unknown'}${since}`];
  if (current) lines.push(`  SHA-256 ${visible(current.sha256)}`);
  for (const { id, summary, fixedIn } of advisories ?? []) {
    lines.push(`  ${paint.red(visible(id))} (fixed in ${visible(fixedIn)}): ${visible(summary)}`);
  }
  if (advisories === null) lines.push('  Which known holes its version has is unknown');
  if (advisories?.length) {
    const cure = command ?? `put it at PROXY_BIN, and: signalbox caddy restart --on ${agent}`;
    lines.push(`  Caddy ${visible(safe)} or newer has none of them: ${visible(cure)}`);
  } else if (!managed && command !== null) {
    lines.push(`  Another program runs it, and upgrades it: ${visible(command)}`);
  }
  if (next) {
    lines.push(`  At PROXY_BIN: ${nameOf(next)}, SHA-256 ${visible(next.sha256)}`);
    lines.push(...next.differs.map((one) => `    ${visible(one)}`));
  }
  return `${lines.join('\n')}\n`;
}
