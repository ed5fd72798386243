/** What an operator reads before the steps of `install` are carried out: where things will listen, and each step. */
import { structuredPatch } from 'diff';
import { cureOf, obstacleOf } from '../../hub/publish/serving.ts';
import { visible, visibleLines } from '../../shared/visible.ts';
import type { PortState } from '../../shared/wire/proxy.ts';
import { inUrl } from '../addresses.ts';
import type { Paint } from '../paint.ts';
import { reachOf } from '../serve/reach.ts';
import { SETTINGS } from '../settings.ts';
import { INSTALLED } from './layout.ts';
import type { Owner, Step } from './steps.ts';

/** Unchanged lines around each change in a diff. */
const CONTEXT = 2;

/** One step; in full for a new file, as a diff for a changed one. Secrets are not shown. */
export function show(step: Step, { red, green, bold }: Paint): string {
  switch (step.do) {
    case 'write': {
      const title = bold(`write ${visible(step.path)} (${octal(step.mode)})`);
      if (step.secret) return `${title}\n    a new secret, not shown\n`;
      const lines = step.before === null ? wholeOf(step.text) : diffOf(step.before, step.text);
      const coloured = lines.map(visibleLines).map((line) => {
        if (step.before === null) return line;
        return line.startsWith('+') ? green(line) : line.startsWith('-') ? red(line) : line;
      });
      return `${title}\n${coloured.map((line) => `    ${line}`.trimEnd()).join('\n')}\n`;
    }
    case 'copy':
      return `${bold(visible(`copy ${step.from} to ${step.to}`))}\n`;
    case 'own':
      return `${bold(`change owner and mode of ${visible(step.path)}`)}\n    from ${ownerText(step.from)} to ${ownerText(step.to)}\n`;
    case 'remove':
      return `${bold(`remove ${visible(step.path)}`)}\n`;
    case 'run':
      return `${bold(visible(`run ${step.command.join(' ')}`))}\n`;
  }
}

const octal = (mode: number) => mode.toString(8).padStart(4, '0');
const ownerText = ({ uid, gid, mode }: Owner) => `uid ${uid}, gid ${gid}, mode ${octal(mode)}`;
const wholeOf = (text: string) => text.replace(/\n$/, '').split('\n');

const diffOf = (before: string, after: string): string[] =>
  structuredPatch('', '', before, after, '', '', { context: CONTEXT }).hunks.flatMap(
    ({ lines }) => lines,
  );

/** The units whose Caddy holds the ports rightly: an installation may be an upgrade. */
const OWN: readonly string[] = Object.values(INSTALLED).map(({ unit }) => unit);

/**
 * Where Caddy will listen.
 * @param ports 80 and 443, as they are now
 */
export function notesOfPorts(ports: readonly PortState[]): string[] {
  const others = ports.filter(
    ({ holders }) => !holders.some(({ unit }) => OWN.includes(unit ?? '')),
  );
  const obstacles = others.flatMap((state) => obstacleOf(state) ?? []);
  if (obstacles.length === 0) return ["Caddy's ports will be 80 for HTTP and 443 for HTTPS."];
  return [
    `Caddy cannot serve on ports 80 and 443 yet: ${obstacles.join('; ')}.`,
    `To fix it: ${cureOf(others)}`,
  ];
}

/**
 * Where the dashboard will listen, as far as the installation decides that.
 * @param listen the address; null: only on this machine
 * @param addresses those of this machine in its network
 */
export function notesOfHost(listen: string | null, addresses: readonly string[]): string[] {
  const host = listen ?? SETTINGS.HUB_HOST.default ?? '';
  const { desk, lines } = reachOf(`http://${inUrl(host)}:${SETTINGS.HUB_PORT.default}`, addresses);
  const other = listen === null ? '; --listen HOST chooses another address' : '';
  return [`The dashboard will be at ${desk}${other}.`, ...lines];
}
