/** What happens to a program of Caddy that has just been put in place: it stays after a while, or the one before comes back. */
import { messageOf } from '../../../src/shared/async.ts';
import type { Log } from '../../../src/shared/log.ts';
import type { Warnings } from '../../warnings.ts';
import { type Commanded, describe } from '../process/program.ts';
import { digestOf, type Proxyfile } from '../reload/proxyfile.ts';
import type { Reload } from '../reload/reload.ts';
import type { KeptPrograms } from './kept-programs.ts';

type ProbationDeps = {
  kept: KeptPrograms;
  commands: Commanded;
  proxyfile: Pick<Proxyfile, 'read' | 'writeCandidate' | 'swapIn'>;
  alone: Reload['alone'];
  /** Milliseconds that a probation takes: the clock may have been set back since it began. */
  longest: number;
  now: () => Date;
  warnings: Pick<Warnings, 'set'>;
  log: Log;
};

export type Probation = {
  /** Milliseconds that one takes. */
  readonly longest: number;
  /** Waits until the probation is over, also one that an agent before this one began. */
  begin(): void;
  /** Takes back what `kept.use` and the swap of the file did. @throws file system errors */
  takeBack(): Promise<void>;
  /** Runs the previous program, and its Caddyfile, if Caddy has ended on probation. Never rejects. */
  comeBack(): Promise<void>;
  close(): void;
};

export function createProbation(deps: ProbationDeps): Probation {
  const { kept, proxyfile, now, warnings, log } = deps;
  let timer: Timer | undefined;

  async function restore(former: string | null): Promise<void> {
    if (former === null) return;
    await proxyfile.writeCandidate(former);
    proxyfile.swapIn(digestOf(former));
  }

  function endIn(milliseconds: number): void {
    timer = setTimeout(() => {
      if (kept.confirm()) kept.prune();
      else endIn(deps.longest);
    }, milliseconds);
    timer.unref();
  }

  return {
    longest: deps.longest,

    begin() {
      clearTimeout(timer);
      const probation = kept.probation();
      if (probation === null) return;
      const left = probation.until.getTime() - now().getTime();
      endIn(Math.max(0, Math.min(left, deps.longest)));
    },

    takeBack: () => restore(kept.goBack()),

    async comeBack() {
      const probation = kept.probation();
      if (probation === null) return;
      clearTimeout(timer);
      const failed = await describe({ ...deps.commands, bin: kept.bin() });
      try {
        await deps.alone(async () => {
          // A change that was published since stays: it is in the words of both, or the hub corrects it.
          const isUnchanged = digestOf(proxyfile.read() ?? '') === probation.digest;
          const former = kept.goBack();
          if (isUnchanged) await restore(former);
        });
        const name = failed?.version ?? '(devel)';
        warnings.set(
          'program',
          `Caddy ${name} ended within a minute, so the previous program runs again.`,
        );
        log('previous program of Caddy restored', { failed: name }, 'warn');
      } catch (error) {
        log('previous program of Caddy not restored', { reason: messageOf(error) }, 'error');
      }
    },

    close: () => clearTimeout(timer),
  };
}
