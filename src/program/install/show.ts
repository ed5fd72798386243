/** Shows a plan's steps to a person. */
import { structuredPatch } from 'diff';
import type { Paint } from '../paint.ts';
import { visible, visibleLines } from '../visible.ts';
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
