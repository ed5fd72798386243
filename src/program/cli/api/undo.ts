/** `signalbox undo`: the way back from the changes of a request. */
import { visible } from '../../../shared/visible.ts';
import type { Cli, Command, Given } from '../command.ts';
import { askLocalHub, jsonLine, Refused, usingHub, type Warned, warnOf } from './local-hub.ts';

/** The changes of one request, as the hub lists them. */
type Group = {
  group: number;
  userName: string;
  via: string | null;
  createdAt: string;
  summary: string;
  count: number;
  /** The first of them. */
  entries: { action: string; domain: string; diff: string | null }[];
};

export const undo: Command = {
  name: 'undo',
  args: [{ name: 'NUMBER', optional: true }],
  options: { json: { summary: 'print JSON' } },
  summary: 'undo the changes of one request',
  help: `NUMBER is the "group" in "signalbox api GET /changelog -q grouped=true", and the number that the
dashboard shows in its changelog. Without it, shows the newest changes, and asks before it undoes
them. All of them are undone in one publish, or none; later changes of other sites and fields stay.
The undo is a new entry of the changelog, which you can undo as well.

Prints what was undone: number, time (UTC), person and API token, what was changed, and how many
entries if there are several, separated by tabs. The hub must be running with the same DATA_DIR. You
need no password, but must be root or the user who runs the hub.
`,
  run: (given, cli) =>
    usingHub({ command: 'undo', wrong: whyWrong(given, cli), run: () => revert(given, cli) }, cli),
};

/** Null if the words fit together. */
function whyWrong({ args: [number] }: Given, { host }: Cli): string | null {
  if (number === undefined) {
    return host.hasTerminal ? null : 'without a terminal, undo needs a NUMBER';
  }
  return /^[1-9]\d{0,13}$/.test(number)
    ? null
    : `NUMBER is that of a group in the changelog, not ${visible(number)}`;
}

/** @throws Refused */
async function revert({ args: [number], has }: Given, cli: Cli): Promise<void> {
  const { env, out, err, confirm, progress } = cli;
  // The newest up to this number.
  const before = number === undefined ? '' : `&before=${Number(number) + 1}`;
  const { body } = await askLocalHub<Group[]>(env, { path: `/changelog?grouped=true${before}` });
  const [group] = body;
  if (number === undefined) {
    if (!group) throw new Refused({ message: 'there is nothing to undo' });
    err(lineOf(group) + entriesOf(group));
    if (!confirm('Undo it?')) throw new Refused({ message: 'nothing was changed' });
  }
  const path = `/changelog/groups/${number ?? group?.group}/revert`;
  const sent = askLocalHub<Warned>(env, { method: 'POST', path });
  warnOf((await progress.during('publishing', sent)).body, cli);
  if (group) out(has('json') ? jsonLine(group) : lineOf(group));
}

function lineOf({ group, createdAt, userName, via, summary, count, entries }: Group): string {
  const who = via === null ? visible(userName) : `${visible(userName)} (${visible(via)})`;
  const fields = count === 1 ? fieldsOf(entries[0]?.diff ?? null) : '';
  const what = fields === '' ? summary : `${summary}: ${fields}`;
  const several = count > 1 ? [`${count} changes`] : [];
  return `${[group, visible(createdAt), who, visible(what), ...several].join('\t')}\n`;
}

/** The names of the fields that an update changed. */
const fieldsOf = (diff: string | null): string =>
  diff === null ? '' : Object.keys((JSON.parse(diff) as { new: object }).new).join(', ');

/** The first of several changes, a line each. */
function entriesOf({ entries, count }: Group): string {
  if (count === 1) return '';
  const lines = entries.map(({ action, domain }) => `  ${visible(action)} ${visible(domain)}\n`);
  const more = count - entries.length;
  return `${lines.join('')}${more > 0 ? `  and ${more} more\n` : ''}`;
}
