/** `signalbox install` and `signalbox uninstall`: thin, what they do is planned in ../install. */
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { PARTS, type Part } from '../install/parts.ts';
import type { Seen, Step } from '../install/plan.ts';
import { type Cli, type Command, EXIT, type Given, messageOf, type Option } from './command.ts';

/** 256 bits. */
const TOKEN_BYTES = 32;

const OPTIONS: Readonly<Record<string, Option>> = {
  print: { summary: 'only print what would be done; needs no root' },
  yes: { summary: 'do not ask; needed where there is no terminal' },
  root: { takes: 'DIR', summary: 'write below DIR instead, and do not call systemctl' },
};

export const install: Command = {
  name: 'install',
  args: [{ name: 'PART', words: PARTS, optional: true }],
  options: {
    managed: { summary: 'agent: run a Caddy of its own, not beside caddy.service' },
    ...OPTIONS,
  },
  summary: 'have systemd run it: shows what it will do, and asks',
  help: `Writes a unit for the hub, the agent, or (all, which is meant without a word) both and a Caddy on
one machine, enables it and starts it. Once more is an upgrade. Units are in /etc/systemd/system,
settings and the token that hub and agent share in /etc/signalbox, where nothing is written over.

The program is started from where it is, if root alone can change it there; else it is copied to
/usr/local/bin/signalbox. The agent runs as the user caddy beside caddy.service, and to replace
the Caddyfile that user is given the group of /etc/caddy.
`,
  run: (given, cli) =>
    carryOut('install', given, cli, async (seen) => {
      const { planInstall, CannotInstall } = await import('../install/plan.ts');
      const part = partOf(given) ?? 'all';
      if (given.has('managed') && part !== 'agent') {
        throw new CannotInstall('--managed is for the agent alone');
      }
      return planInstall(part, given.has('managed'), seen, () =>
        randomBytes(TOKEN_BYTES).toString('base64url'),
      );
    }),
};

export const uninstall: Command = {
  name: 'uninstall',
  args: [{ name: 'PART', words: PARTS, optional: true }],
  options: { purge: { summary: 'also remove data, settings and the token' }, ...OPTIONS },
  summary: 'undo that',
  help: `Stops and removes the units (without a word: all that are there) and gives /etc/caddy back. Data,
settings and the token stay, unless --purge is given. The Caddyfile always stays.
`,
  run: (given, cli) =>
    carryOut('uninstall', given, cli, async (seen) => {
      const { planUninstall } = await import('../install/plan.ts');
      return planUninstall(partOf(given), given.has('purge'), seen);
    }),
};

const partOf = ({ args: [word] }: Given): Part | null => PARTS.find((one) => one === word) ?? null;

/** Shows the steps and, unless they are only printed, asks and takes them. */
async function carryOut(
  name: string,
  given: Given,
  cli: Cli,
  plan: (seen: Seen) => Promise<Step[]>,
): Promise<number> {
  const { host, out, fail, paint } = cli;
  const root = given.value('root');
  const printed = given.has('print');
  const live = root === undefined;
  const refuse = (reason: string) => {
    fail(`signalbox ${name}: ${reason}`);
    return EXIT.failed;
  };
  if (live && !printed) {
    if (!host.isRoot) return refuse('needs root (sudo); --print only prints what it would do');
    if (!host.runsSystemd) return refuse('systemd does not run here; --root / only writes files');
    if (name === 'install' && host.program === null) {
      return refuse('needs the single binary, which npm run build makes in dist/');
    }
  }
  try {
    // Loaded here: no other command needs it.
    const { assertBelow, lookAt, take } = await import('../install/machine.ts');
    const { show } = await import('../install/show.ts');
    const folder = root === undefined ? '/' : resolve(root);
    const { which } = cli.machine;
    const steps = await plan(lookAt({ root: folder, live, program: host.program, which }));
    assertBelow(folder, steps);
    for (const step of steps) out(show(step, paint));
    if (steps.length === 0) out('Nothing is to be done.\n');
    if (printed || steps.length === 0) return EXIT.done;
    if (!given.has('yes')) {
      if (!host.hasTerminal) return refuse('nothing was done: without a terminal it needs --yes');
      if (!cli.confirm('Do this?')) return refuse('nothing was done');
    }
    for (const step of steps) take(step, folder);
    out(paint.green('Done.\n'));
    return EXIT.done;
  } catch (error) {
    return refuse(messageOf(error));
  }
}
