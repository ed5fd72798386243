/** `signalbox history [AT]` and `signalbox back AT`: what was stored at a moment, and the way back to it. */
import type { FeatureCommand } from '../../../feature.ts';
import {
  type AskHub,
  answerOf,
  failRefused,
  Refused,
  usingHub,
  type Warned,
  warnOf,
} from '../../../program/cli/api/local-hub.ts';
import { timeIn } from '../../../program/cli/api/logs.ts';
import { chosenHub, HUB_OPTION } from '../../../program/cli/api/remote-hub.ts';
import { type Cli, EXIT, type Given } from '../../../program/cli/command.ts';
import { visible, visibleLines } from '../../../shared/visible.ts';
import type { Difference } from '../differences.ts';
import type { Moment, Restoration } from '../schemas.ts';

type Group = { group: number; createdAt: string; userName: string; summary: string };

type Answer = Warned & Restoration;

const AT =
  'AT is a time, such as 2026-11-24T18:00Z, or how long ago: 30m, 2h or 7d. Times are UTC.\n';
const WHERE = `Without --hub, the hub must be running with the same DATA_DIR. You need no password, but must be
root or the user who runs the hub.
`;

export const historyCommand: FeatureCommand = {
  follows: 'undo',
  name: 'history',
  isSeldom: true,
  args: [{ name: 'AT', optional: true }],
  options: { hub: HUB_OPTION },
  summary: 'print the last changes, or the sites of a moment',
  help: `signalbox history           the last changes, newest first
signalbox history 2h        the sites as they were two hours ago, and what has changed since

${AT}
${WHERE}`,
  run: (given, cli) =>
    usingHub({ command: 'history', wrong: null, run: () => printHistory(given, cli) }, cli),
};

/** 2 is not wrong usage here. */
const EXITS = { done: EXIT.done, refused: EXIT.failed, changes: 2 } as const;

export const back: FeatureCommand = {
  follows: 'undo',
  name: 'back',
  isSeldom: true,
  args: [{ name: 'AT' }],
  options: {
    plan: { summary: 'show what would change, and change nothing' },
    site: { takes: 'DOMAIN', summary: 'bring back only this site, as it was called then' },
    partial: { summary: 'bring back the rest if something cannot be what it was' },
    hub: HUB_OPTION,
  },
  summary: 'bring back the sites and policies of a moment',
  help: `signalbox back 2026-11-24T18:00Z --plan
signalbox back 2h --site app.example

Brings back all sites, policies and options of Caddy, and certificates that were deleted since, in
one publish, all or nothing. It is one change: one undo takes all of it back. Accounts, channels and
logs are no part of it.

${AT}
${WHERE}`,
  exits: {
    misused: EXITS.refused,
    help: 'Exit codes: 0 done, or nothing to do; 1 refused, or wrong usage; 2 --plan found changes.\n',
  },
  async run(given, cli) {
    try {
      return await goBack(given, cli);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return failRefused('back', error.refusal, cli);
    }
  },
};

async function printHistory(given: Given, cli: Cli): Promise<void> {
  const [at] = given.args;
  const hub = await chosenHub(given, cli);
  if (at === undefined) {
    const groups = await answerOf<Group[]>(await hub({ path: '/changelog?grouped=true' }));
    for (const { createdAt, userName, summary } of groups) {
      cli.out(`${visible(`${createdAt}  ${summary} (${userName})`)}\n`);
    }
    return;
  }
  const { sites, at: time } = await momentAt(hub, at);
  const changes = await changesSince(hub, time);
  cli.out(`${visible(time)}\n`);
  for (const { domain, upstream, enabled } of sites) {
    cli.out(
      `  ${visible(`${domain}${upstream ? ` → ${upstream}` : ''}${enabled ? '' : ' (off)'}`)}\n`,
    );
  }
  if (changes === null) {
    cli.err('What has changed since is left out: only owners and editors see that.\n');
    return;
  }
  cli.out(changes.length === 0 ? 'nothing has changed since\n' : 'changed since:\n');
  for (const change of changes) cli.out(`  ${lineOf(change)}`);
}

/** Null for a viewer. @throws Refused */
const changesSince = (hub: AskHub, time: string): Promise<readonly Difference[] | null> =>
  hub({ path: `/history/diff?at=${encodeURIComponent(time)}` })
    .then((answer) => answerOf<Answer>(answer))
    .then(
      ({ changes }) => changes,
      (error: unknown) => {
        if (error instanceof Refused && error.refusal.code === 'FORBIDDEN_ROLE') return null;
        throw error;
      },
    );

const momentAt = async (hub: AskHub, at: string): Promise<Moment> =>
  answerOf<Moment>(
    await hub({ path: `/history?at=${encodeURIComponent(timeIn(at, Date.now()))}` }),
  );

/** @throws Refused */
async function goBack(given: Given, cli: Cli): Promise<number> {
  const [at = ''] = given.args;
  const isPlan = given.has('plan');
  const hub = await chosenHub(given, cli);
  const moment = await momentAt(hub, at);
  const domain = given.value('site');
  const site = moment.sites.find((one) => one.domain === domain);
  if (domain !== undefined && !site) {
    throw new Refused({
      code: 'NOT_FOUND',
      message: `There was no site ${domain} at that moment.`,
    });
  }
  const body = {
    at: moment.at,
    ...(site && { vhosts: [site.id] }),
    ...(isPlan && { dryRun: true }),
  };
  const path = `/history/restore${given.has('partial') ? '?partial=true' : ''}`;
  const headers = { 'Idempotency-Key': crypto.randomUUID() };
  const asked = hub({ method: 'POST', path, body, headers }).then((answer) =>
    answerOf<Answer>(answer),
  );
  const answer = await cli.progress.during(isPlan ? 'planning' : 'publishing', asked);
  const { changes, diff, left, group } = answer;
  cli.out(changes.length === 0 ? 'nothing to do\n' : changes.map(lineOf).join(''));
  if (isPlan && diff !== '') cli.out(`\n${visibleLines(diff)}\n`);
  for (const { name, reason } of left) cli.err(`${visible(`${name} stays as it is: ${reason}`)}\n`);
  warnOf(answer, cli);
  if (group !== undefined) cli.err(`to undo: signalbox undo ${group}\n`);
  return isPlan && changes.length > 0 ? EXITS.changes : EXITS.done;
}

function lineOf({ op, kind, name, fields }: Difference): string {
  const thing = kind === 'options' ? `Caddy options ${name}`.trimEnd() : `${kind} ${name}`;
  const which = fields.length === 0 ? '' : `: ${fields.join(', ')}`;
  return `${visible(`${op} ${thing}${which}`)}\n`;
}
