/** Explains a problem of a site once, when it is listed first, and keeps that for as long as the problem is there. */
import type { HubCore, ProblemCause } from '../../hub/core.ts';
import type { Vhost } from '../../hub/model/vhost.ts';
import type { ProblemView } from '../../hub/watch/problem.ts';
import { createQueue } from '../../shared/async.ts';
import type { ChangeFrom, Explain } from './explain.ts';
import { warningCure } from './warnings.ts';

type Causes = {
  /** What is known of these by now, by their keys; those that are new are explained in the background. */
  of(problems: readonly ProblemView[]): ReadonlyMap<string, ProblemCause>;
  /** No more are explained. */
  end(): void;
};

/** Those that a look at the site can explain. */
const EXPLAINED: readonly ProblemView['code'][] = ['UPSTREAM_DOWN', 'CHECK_FAILING'];
/** More at once are not explained: what they have in common is no single site. */
const MOST = 20;

export function createCauses(
  explain: Pick<Explain, 'unasked'>,
  { publisher }: Pick<HubCore, 'publisher'>,
  changeFrom: ChangeFrom,
): Causes {
  /** Null: not known yet, or never. */
  const causes = new Map<string, ProblemCause | null>();
  const inTurn = createQueue();
  let isOver = false;

  async function look(key: string, id: number): Promise<void> {
    const vhost = publisher.current().vhosts.find((one) => one.id === id);
    if (isOver || !vhost?.enabled || !causes.has(key)) return;
    const judgement = await explain.unasked(vhost, pathOf(vhost), changeFrom);
    const { verdict, cause = null, cure } = judgement?.explanation ?? {};
    if (verdict !== 'fails' || cause === null || !causes.has(key)) return;
    causes.set(key, { cause, ...(cure && { cure: warningCure(cure) }) });
  }

  return {
    of(problems) {
      const open = problems.filter(({ code }) => EXPLAINED.includes(code));
      const keys = new Set(open.map(({ key }) => key));
      for (const key of causes.keys()) if (!keys.has(key)) causes.delete(key);
      for (const { key, vhost, vhosts } of open) {
        const id = vhost?.id ?? vhosts?.[0]?.id;
        if (causes.has(key) || id === undefined || causes.size >= MOST) continue;
        causes.set(key, null);
        // A site that cannot be explained now has a problem without a cause.
        inTurn(() => look(key, id)).catch(() => undefined);
      }
      return new Map([...causes].flatMap(([key, cause]) => (cause ? [[key, cause]] : [])));
    },
    end() {
      isOver = true;
    },
  };
}

const pathOf = ({ check }: Vhost): string => check?.path ?? '/';
