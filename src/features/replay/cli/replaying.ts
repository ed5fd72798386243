/** What `signalbox replay` and the option `--replay` have in common: they follow a replay of the hub, and print what it found. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type AskHub, answerOf, failRefused, Refused } from '../../../program/cli/api/local-hub.ts';
import type { Asking, Begun } from '../../../program/cli/api/plan-question.ts';
import type { Cli } from '../../../program/cli/command.ts';
import type { Paint } from '../../../program/paint.ts';
import { within } from '../../../shared/async.ts';
import { clip } from '../../../shared/one-line.ts';
import { visible } from '../../../shared/visible.ts';
import { REPLAY_DAYS, type ReplayGroup, type ReplayState } from '../wire.ts';
import { countsOf, headlineOf, outcomeOf, siteOf } from '../words.ts';

/** Of several agents, a group names its own. */
export type Replay = Omit<ReplayState, 'groups'> & {
  groups: (ReplayGroup & { agent?: string })[];
};

type Replaying = Pick<Asking, 'ask' | 'started'> & {
  /** Waits for its end; a signal brings that about. @throws Refused */
  finished(starting: Begun): Promise<Replay>;
};

/** A signal ended the replay. */
class Ended extends Refused {}

const EVERY_MS = 500;
/** After a signal, how long the hub has to name a replay that was asked for, and to end it. */
const GRACE_MS = 5_000;

/** From now on, a signal ends the replay, and then the command. */
export function createReplaying(
  hub: AskHub,
  { stopSignal, progress }: Pick<Cli, 'stopSignal' | 'progress'>,
): Replaying {
  const late = new AbortController();
  const signalled = stopSignal();
  void signalled.then(() => setTimeout(() => late.abort(), GRACE_MS).unref());
  const ask: AskHub = (request) => hub({ ...request, signal: late.signal });

  /** @throws Refused always */
  async function end({ replay }: Begun, signal: string): Promise<never> {
    progress.end();
    const path = `/replays/${replay}`;
    if (replay !== undefined) await ask({ method: 'DELETE', path }).catch(() => undefined);
    throw new Ended({ message: `ended by ${signal}` });
  }

  return {
    ask,
    async started(sent) {
      const signal = await Promise.race([sent.then(() => null), signalled]);
      if (signal === null) return sent;
      const nothing: Begun = {};
      return end(await within(sent, GRACE_MS, () => nothing).catch(() => nothing), signal);
    },
    async finished(starting) {
      if (starting.replay === undefined) {
        throw new Refused({ message: 'this hub cannot replay requests', hint: 'Update it first.' });
      }
      const read = async () => answerOf<Replay>(await ask({ path: `/replays/${starting.replay}` }));
      const soon = () => sleep(EVERY_MS).then(read);
      /** @throws Refused, also because of a signal */
      async function until(isEnough: (found: Replay) => boolean): Promise<Replay> {
        for (let next = read(); ; next = soon()) {
          const found = await Promise.race([next, signalled]);
          if (typeof found === 'string') return end(starting, found);
          if (found.state !== 'running' || isEnough(found)) return found;
        }
      }
      try {
        await progress.during(
          'reading the log',
          until(({ of }) => of > 0),
        );
        return await until(({ done, of }) => {
          progress.bar('comparing', done, of, (count) => count.toLocaleString('en'));
          return false;
        });
      } finally {
        progress.end();
      }
    },
  };
}

/** Of a group, or of all. */
const [MOST_GROUPS, MOST_LINES] = [20, 3];

/** @param days that were asked for @throws Refused if it failed; what it found before is printed */
export function printReplay(
  found: Replay,
  { days, write, paint }: { days: number; write: (text: string) => void; paint: Paint },
): void {
  const { state, detail, same, differ, groups, leftOut } = found;
  if (state !== 'failed' || same + differ > 0) {
    const more = groups.length - MOST_GROUPS;
    const parts = [
      `${(differ > 0 ? paint.red : paint.green)(headlineOf(found, days))}\n`,
      groups.slice(0, MOST_GROUPS).map(linesOf).join(''),
      more > 0 ? `… and ${more} more: signalbox replay --json\n` : '',
      leftOut.length === 0 ? '' : `Left out:\n${leftOut.map(lineOf).join('')}`,
    ];
    write(parts.filter(Boolean).join('\n'));
  }
  if (state === 'failed') throw failed(detail);
}

const failed = (detail: string | undefined) =>
  new Refused({ message: 'the replay failed', ...(detail !== undefined && { detail }) });

function linesOf(group: Replay['groups'][number]): string {
  const { domain, agent, examples } = group;
  const where = agent === undefined ? siteOf(domain) : `${siteOf(domain)} at ${agent}`;
  const what = `${where}: ${countsOf(group)} ${outcomeOf(group)}`;
  const lines = examples
    .slice(0, MOST_LINES)
    .map(({ ip, method, path }) => `  ${shown([ip, method, path].filter(Boolean).join(' '))}`);
  return [shown(what), ...lines].map((line) => `${line}\n`).join('');
}

const lineOf = ({ reason, count }: Replay['leftOut'][number]): string => {
  const often = count === 0 ? '' : `${count.toLocaleString('en')} × `;
  return `  ${often}${shown(reason)}\n`;
};

/** Some of it is what strangers asked for. */
const shown = (text: string): string => visible(clip(text));

/**
 * Prints the replay of what a command would do. A failure is printed as well: the exit code is about the change.
 * @throws Refused because of a signal
 */
export async function printReplayOf(
  command: string,
  starting: Begun,
  replaying: Replaying,
  { write, cli }: { write: (text: string) => void; cli: Cli },
): Promise<void> {
  try {
    const found = await replaying.finished(starting);
    printReplay(found, { days: REPLAY_DAYS.usual, write, paint: cli.paint });
  } catch (error) {
    if (!(error instanceof Refused) || error instanceof Ended) throw error;
    failRefused(`${command} --replay`, error.refusal, cli);
  }
}
