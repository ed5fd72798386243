/** Explains a problem of a site once, when it is listed first, and keeps that for as long as the problem is there. */
import type { HubCore, ProblemCause } from '../../hub/core.ts';
import { type Vhost, vhostsById } from '../../hub/model/vhost.ts';
import type { ProblemView } from '../../hub/watch/problem.ts';
import { createQueue } from '../../shared/async.ts';
import type { ChangeFrom, Explain } from './explain.ts';
import type { FailingSites } from './failing.ts';
import { warningCure } from './warnings.ts';

type Causes = {
  /** What is known of these by now, by their keys; those that are new are explained in the background. */
  of(problems: readonly ProblemView[]): ReadonlyMap<string, ProblemCause>;
  /** No more are explained. */
  end(): void;
};

/** Those that a look at the site can explain. */
const EXPLAINED: readonly ProblemView['code'][] = ['UPSTREAM_DOWN', 'CHECK_FAILING'];
/** Those of which the agent knows what the authority says: no site is asked. */
const OF_CERTIFICATES: readonly ProblemView['code'][] = [
  'CERTIFICATE_EXPIRED',
  'CERTIFICATE_MISSING',
  'CERTIFICATE_ENDING',
];
/** More at once are not explained: what they have in common is no single site. */
const MOST = 20;

/** Of a problem; null: not known yet, or never. */
type Entry = { message: string; cause: ProblemCause | null };

export function createCauses(
  explain: Pick<Explain, 'unasked' | 'certificate'>,
  { publisher }: Pick<HubCore, 'publisher'>,
  follow: FailingSites['follow'],
  changeFrom: ChangeFrom,
): Causes {
  const causes = new Map<string, Entry>();
  const inTurn = createQueue();
  let isOver = false;

  async function look({ key, code }: ProblemView, id: number): Promise<void> {
    const vhost = vhostsById(publisher.current()).get(id);
    const entry = causes.get(key);
    if (isOver || !vhost?.enabled || !entry) return;
    if (OF_CERTIFICATES.includes(code)) {
      entry.cause = await explain.certificate(vhost);
      return;
    }
    const judgement = await explain.unasked(vhost, pathOf(vhost), changeFrom);
    const { verdict, cause = null, cure } = judgement?.explanation ?? {};
    if (verdict !== 'fails' || cause === null) return;
    entry.cause = { cause, ...(cure && { cure: warningCure(cure) }) };
  }

  return {
    of(problems) {
      const failing = problems.filter(({ code }) => EXPLAINED.includes(code));
      follow(new Set(failing.flatMap(vhostsOf).map(({ id }) => id)));
      const bare = problems.filter(({ code }) => OF_CERTIFICATES.includes(code));
      const open = [...failing, ...bare];
      const keys = new Set(open.map(({ key }) => key));
      for (const key of causes.keys()) if (!keys.has(key)) causes.delete(key);
      for (const one of open) {
        const { key, code, message } = one;
        const id = vhostsOf(one)[0]?.id;
        const before = causes.get(key);
        // The authority may say something else by now.
        const isOther = OF_CERTIFICATES.includes(code) && before?.message !== message;
        if (id === undefined || (before ? !isOther : causes.size >= MOST)) continue;
        causes.set(key, { message, cause: null });
        // A site that cannot be explained now has a problem without a cause.
        inTurn(() => look(one, id)).catch(() => undefined);
      }
      return new Map([...causes].flatMap(([key, { cause }]) => (cause ? [[key, cause]] : [])));
    },
    end() {
      isOver = true;
    },
  };
}

const vhostsOf = ({ vhost, vhosts = vhost ? [vhost] : [] }: ProblemView) => vhosts;

const pathOf = ({ check }: Vhost): string => check?.path ?? '/';
