/** Which program of Caddy runs, which other one is at PROXY_BIN, and the change from one to the other. */
import type { Program, ProgramsAnswer } from '../../../src/features/programs/wire.ts';
import { createQueue, messageOf } from '../../../src/shared/async.ts';
import { Failure, sentenceOf } from '../../../src/shared/failure.ts';
import type { Found } from '../../caddy/process/kept-program.ts';
import { processOf, startedAt } from '../../caddy/process/processes.ts';
import { type Described, describe, flawIn } from '../../caddy/process/program.ts';
import type { ProxyControl, Replaceable } from '../../caddy/proxy.ts';
import type { AgentCore } from '../../core.ts';
import { opened } from './rehearsal.ts';
import { type Trial, type TrialDeps, tryProgram } from './trial.ts';

type ProgramsDeps = TrialDeps &
  Pick<AgentCore, 'warn' | 'log' | 'now'> & {
    proxy: Pick<ProxyControl, 'admin' | 'commands' | 'starts'>;
    replaceable: Replaceable;
    signal: AbortSignal;
  };

/** Another program, and what came of its trial. */
type Next = Described & { sha256: string; trial: Trial };

export type Programs = {
  /** Looks at PROXY_BIN, and tries another program that it has. Never fails. */
  look(): Promise<void>;
  /** Which runs, and which other one was tried. Never fails. */
  answer(): Promise<Pick<ProgramsAnswer, 'current' | 'next'>>;
  /** Restarts Caddy, with the program that is at PROXY_BIN now. @throws Failure PROGRAM_REFUSED, with everything as it was */
  restart(): Promise<void>;
};

/** How many differences a sentence names. */
const MOST_NAMED = 5;
const refused = (all: readonly string[], cause?: unknown) =>
  new Failure('PROGRAM_REFUSED', REFUSED, { detail: all.slice(0, MOST_NAMED).join('; '), cause });
const REFUSED =
  'The program at PROXY_BIN would not serve all sites as the one that runs, which keeps running.';

const ENDED = 'It ended within a minute';

export function createPrograms(deps: ProgramsDeps): Programs {
  const { proxy, replaceable, warn, log, signal } = deps;
  const { kept, reload } = replaceable;
  const queue = createQueue();
  const known = new Map<string, Described>();
  let next: Next | null = null;
  /** Whoever starts Caddy with another program wants that one to run; not so one that comes later. */
  const atStart = kept.ownFile();
  /** Until the first look is over. */
  let isStart = true;

  /** Null if it does not answer as Caddy does. */
  async function described({ file, sum }: Found): Promise<Described | null> {
    const found = known.get(sum) ?? (await describe({ ...proxy.commands, bin: file }));
    if (found !== null) known.set(sum, found);
    return found;
  }

  /** When Caddy was started, in milliseconds since the epoch; null if it does not run. */
  function sinceOf(): number | null {
    const process = processOf(replaceable.pid() ?? 0);
    return process && startedAt(process);
  }

  /** The program that runs, and the one of PROXY_BIN if that is another one. */
  async function seen(): Promise<{ runs: Found | null; other: Found | null }> {
    const pid = replaceable.pid();
    const runs = pid === null ? null : await kept.running(pid);
    const own = await kept.own();
    return { runs, other: own?.sum === runs?.sum ? null : own };
  }

  async function tried(other: Found): Promise<Next> {
    const found = await described(other);
    const flaw = flawIn(found);
    const of = { version: found?.version ?? null, modules: found?.modules ?? [] };
    const trial =
      flaw === null
        ? await tryProgram(await replaceable.nextOf(other.file), deps, signal)
        : { worse: [flaw.replace(/\.$/, '')], other: [], checked: null };
    return { ...of, sha256: other.sum, trial };
  }

  /** @throws Failure PROGRAM_REFUSED, with the program before it back */
  async function changeTo({ sha256, version, trial }: Next, from: Found): Promise<void> {
    const { worse, checked } = trial;
    if (worse.length > 0) throw refused(worse);
    await kept.keep(from);
    try {
      await reload.restart({
        checked,
        use: (isOther) => kept.want(isOther ? sha256 : null),
        assertServing: (config) => opened(config, replaceable.pid() ?? 0),
      });
    } catch (error) {
      if (error instanceof Failure && error.code === 'STALE') throw error;
      const reason = error instanceof Failure ? sentenceOf(error) : undefined;
      worse.push(`It does not serve: ${reason ?? messageOf(error)}`);
      throw refused(worse, error);
    }
    next = null;
    warn(WARNING, null);
    log('program of Caddy changed', { from: (await described(from))?.version, to: version });
  }

  function warnOf({ version, trial }: Next): void {
    const name = version === null ? '' : ` (Caddy ${version})`;
    const why = trial.worse.slice(0, MOST_NAMED).join('; ');
    const sentence = `The program at PROXY_BIN${name} is not used, and the one before runs: ${why}`;
    warn(WARNING, sentence);
    log('program of Caddy not used', { version, reason: why }, 'warn');
  }

  async function look(): Promise<void> {
    const { runs, other } = await seen();
    const since = sinceOf();
    if (runs === null || since === null) return;
    const isProved = deps.now().getTime() - since >= replaceable.probation;
    if (other !== null || (isProved && runs.sum !== kept.kept())) await kept.keep(runs);
    const failed = kept.takeFailed();
    if (other === null) {
      [next, isStart] = [null, false];
      return warn(WARNING, null);
    }
    if (failed === other.sum) {
      const found = (await described(other)) ?? { version: null, modules: [] };
      next = { ...found, sha256: other.sum, trial: { worse: [ENDED], other: [], checked: null } };
      return warnOf(next);
    }
    if (next?.sha256 !== other.sum) await tryFound(other, runs);
  }

  async function tryFound(other: Found, runs: Found): Promise<void> {
    const found = await tried(other);
    const isWanted = isStart && kept.ownFile() === atStart && proxy.starts().adopted === 0;
    if (isWanted) {
      await changeTo(found, runs).catch((error: unknown) => {
        if (found.trial.worse.length === 0) throw error;
        warnOf(found);
      });
    }
    isStart = false;
    if (!isWanted || found.trial.worse.length > 0) next = found;
  }

  async function current(): Promise<Program | null> {
    const { runs } = await seen();
    const found = runs && (await described(runs));
    const since = sinceOf();
    if (!found || !runs || since === null) return null;
    const { version, modules } = found;
    return {
      version,
      sha256: runs.sum,
      modules: [...modules],
      since: new Date(since).toISOString(),
    };
  }

  return {
    look: () =>
      queue(() =>
        look().catch((error: unknown) => {
          if (!signal.aborted)
            log('program of Caddy not tried', { reason: messageOf(error) }, 'warn');
        }),
      ),

    async answer() {
      const differs = next && [...next.trial.worse, ...next.trial.other];
      return {
        current: await current(),
        next: next && {
          version: next.version,
          sha256: next.sha256,
          modules: [...next.modules],
          differs: differs ?? [],
        },
      };
    },

    restart: () =>
      queue(async () => {
        const { runs, other } = await seen();
        if (other === null || runs === null) {
          // It may not be proved yet, such as after a change in which the agent was killed.
          if (runs !== null) kept.want(runs.sum);
          return reload.restart(null);
        }
        next = await tried(other);
        await changeTo(next, runs);
      }),
  };
}

/** The key of what the agent says of it. */
const WARNING = 'program';
