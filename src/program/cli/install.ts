/** `signalbox install` and `signalbox uninstall`: show a plan, ask, and carry it out. */
import { join, resolve } from 'node:path';
import { messageOf } from '../../shared/async.ts';
import { newToken } from '../../shared/bearer.ts';
import { ROLES, type Role } from '../../shared/setting.ts';
import { visible } from '../../shared/visible.ts';
import { PROGRAM } from '../install/layout.ts';
import type { Step, SystemState } from '../install/steps.ts';
import { SETTINGS } from '../settings.ts';
import { type Cli, type Command, EXIT, type Given, type Option } from './command.ts';
import { inviteIn } from './invite.ts';

/** Of the column of addresses; the longest IPv4 address has 15 characters. */
const WIDTH = 17;

const OPTIONS: Readonly<Record<string, Option>> = {
  print: { summary: 'only print the plan; does not need root' },
  yes: { summary: 'do not ask; required without a terminal' },
  root: { takes: 'DIR', summary: 'work below the root folder DIR, and do not call systemctl' },
};

export const install: Command = {
  name: 'install',
  args: [
    { name: 'WHAT', words: ROLES, optional: true },
    { name: 'URL', optional: true },
  ],
  options: {
    invite: { summary: 'agent only: print an invitation instead of using a token' },
    managed: { summary: 'agent only: run its own Caddy instead of using caddy.service' },
    listen: {
      takes: 'HOST',
      summary: 'address of the dashboard; otherwise asks, or uses 127.0.0.1',
    },
    ...OPTIONS,
  },
  summary: 'install as systemd services; shows the plan and asks first',
  help: `Installs, enables and starts a systemd unit for the hub, the agent, or (the default, all) both on
one machine, the agent with its own Caddy. Each unit has its own user. To upgrade, run it again with
the new program. Units are written to /etc/systemd/system, settings and the token that hub and agent
share to /etc/signalbox. Settings and token are never overwritten.

With --invite, the agent has no token: it starts and prints an invitation. URL is where the hub can
reach it (see signalbox agent --help). To invite another hub, run it again.

A unit starts the program where it is if only root can change it there; otherwise the program is
copied to /usr/local/bin/signalbox. Beside caddy.service, the agent runs as the user caddy, and the
group caddy gets write access to /etc/caddy so that the agent can replace the Caddyfile.
`,
  run: (given, cli) =>
    runPlan('install', given, cli, async (system) => {
      const { decidesHost, planInstall } = await import('../install/plan.ts');
      const { CannotInstall } = await import('../install/steps.ts');
      const { notesOfHost, notesOfPorts } = await import('../install/show.ts');
      const role = roleIn(given) ?? 'all';
      const managed = given.has('managed');
      if (managed && role !== 'agent') {
        throw new CannotInstall('--managed applies only to the agent');
      }
      const invite = inviteIn(given, given.args[1]);
      if (invite && role !== 'agent') {
        throw new CannotInstall('--invite applies only to the agent');
      }
      const decides = decidesHost(role, system);
      const addresses = await cli.host.addresses();
      const listen = given.value('listen') ?? (decides ? askForHost(given, addresses, cli) : null);
      if (listen !== null && !/^[\w.:-]+$/.test(listen)) {
        throw new CannotInstall('--listen takes one address, such as 192.168.1.5');
      }
      const steps = planInstall(role, managed, listen, system, newToken, invite);
      const runsCaddy = role === 'all' || managed;
      const notes = [
        ...(runsCaddy && system.live ? notesOfPorts(system.ports) : []),
        ...(decides ? notesOfHost(listen, addresses) : []),
      ];
      return { steps, notes };
    }),
};

export const uninstall: Command = {
  name: 'uninstall',
  isSeldom: true,
  args: [{ name: 'WHAT', words: ROLES, optional: true }],
  options: { purge: { summary: 'also remove data, settings and the token' }, ...OPTIONS },
  summary: 'remove the services',
  help: `Stops and removes the unit WHAT, or all units of signalbox, and restores the owner and mode of
/etc/caddy. Keeps data, settings and the token unless --purge is given. Always keeps the Caddyfile.
`,
  run: (given, cli) =>
    runPlan('uninstall', given, cli, async (system) => {
      const { planUninstall } = await import('../install/plan.ts');
      return { steps: planUninstall(roleIn(given), given.has('purge'), system), notes: [] };
    }),
};

const roleIn = ({ args: [word] }: Given): Role | null =>
  ROLES.find((role) => role === word) ?? null;

/** Where the dashboard is to listen; null if that is not to be asked, or the answer is loopback. */
function askForHost(
  given: Given,
  addresses: readonly string[],
  { host, out, ask }: Cli,
): string | null {
  if (!host.hasTerminal || given.has('yes') || given.has('print')) return null;
  const usual = SETTINGS.HUB_HOST.default ?? '';
  out('Where should the dashboard listen? Its connections are not encrypted.\n');
  out(`  ${usual.padEnd(WIDTH)}only this machine; other machines through ssh\n`);
  for (const address of addresses) out(`  ${address.padEnd(WIDTH)}your network\n`);
  const answer = ask('Address', usual);
  return answer === usual ? null : answer;
}

/** Shows the steps and, unless they are only to be printed, asks and carries them out. */
async function runPlan(
  name: string,
  given: Given,
  cli: Cli,
  plan: (system: SystemState) => Promise<{ steps: Step[]; notes: string[] }>,
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
    if (!host.isRoot) return refuse('needs root (sudo); use --print to only see the plan');
    if (!host.runsSystemd)
      return refuse('systemd is not running; use --root / to only write files');
    if (name === 'install' && host.program === null) {
      return refuse('needs the binary, which npm run build writes to dist/');
    }
  }
  try {
    // Loaded here: no other command needs it.
    const { assertBelow, carryOut, readSystem } = await import('../install/machine.ts');
    const { show } = await import('../install/show.ts');
    const folder = root === undefined ? '/' : resolve(root);
    const { which } = cli.machine;
    const { steps, notes } = await plan(readSystem(folder, live, host.program, which));
    assertBelow(folder, steps);
    for (const step of steps) out(show(step, paint));
    for (const note of notes) out(`${visible(note)}\n`);
    if (name === 'install' && !live && steps.length > 0) {
      out(`The program itself is not copied: put it at ${visible(join(folder, PROGRAM))}.\n`);
    }
    if (steps.length === 0) out('Nothing to do.\n');
    if (printed || steps.length === 0) return EXIT.done;
    if (!given.has('yes')) {
      if (!host.hasTerminal) return refuse('nothing was changed; without a terminal, use --yes');
      if (!cli.confirm('Continue?')) return refuse('nothing was changed');
    }
    for (const step of steps) {
      for (const line of carryOut(step, folder)) out(`${visible(line)}\n`);
    }
    out(paint.green('Done.\n'));
    return EXIT.done;
  } catch (error) {
    return refuse(messageOf(error));
  }
}
