/** Explains sites right after they were changed, for the warnings of the answer. */

import type { PartWarning } from '../../hub/core.ts';
import { policiesOn } from '../../hub/model/applied.ts';
import type { SiteSet, Vhost } from '../../hub/model/vhost.ts';
import { within } from '../../shared/async.ts';
import type { ChangeFrom, Explain } from './explain.ts';
import type { Cause } from './words.ts';

/** How long the answer to a change waits, in milliseconds. */
const WAIT_MS = 1_500;
/** Of a change of more vhosts, the others are not looked at. */
const MOST_VHOSTS = 4;

/** What leads to an upstream, or to other lines that may. */
const FORWARDS = /\b(?:reverse_proxy|forward_auth|php_fastcgi|import)\b/;

/** What a site is for: nobody has to be warned of it. */
const MEANT: readonly Cause[] = ['SHUT_OUT'];

/** What the hub says of a config whatever is behind it. */
const OF_CORE: Partial<Record<Cause, string>> = {
  UPSTREAM_ITSELF: 'UPSTREAM_IS_PROXY',
  REDIRECT_LOOP: 'REDIRECTS_TO_ITSELF',
};

/**
 * @param stored the set that is accepted and stored
 * @returns the warnings of vhosts that were just changed, by id; never fails
 */
export const createWarnings =
  (explain: Pick<Explain, 'first'>, changeFrom: ChangeFrom, stored: () => SiteSet) =>
  async (vhosts: readonly Vhost[]): Promise<ReadonlyMap<number, PartWarning[]>> => {
    const set = stored();
    const mayForward = (vhost: Vhost) =>
      FORWARDS.test(vhost.config) || policiesOn(vhost, set).length > 0;
    const candidates = vhosts
      .filter(({ enabled }) => enabled)
      .slice(0, MOST_VHOSTS)
      .filter(mayForward);
    const pending = candidates.map(async (vhost) => {
      const judgement = await explain.first(vhost, changeFrom).catch(() => null);
      const { verdict, cause, words, cure } = judgement?.explanation ?? NOTHING;
      const isWorthIt = verdict === 'fails' && cause !== null && !MEANT.includes(cause);
      if (!isWorthIt) return [vhost.id, []] as const;
      return [vhost.id, [warning(cause, words, cure, set.agents.length > 1)]] as const;
    });
    const all = pending.map((one, at) =>
      within(one, WAIT_MS, () => [candidates[at]?.id ?? 0, []] as const),
    );
    return new Map((await Promise.all(all)).map(([id, warnings]) => [id, [...warnings]]));
  };

const NOTHING = { verdict: 'works', cause: null, words: '', cure: null } as const;

type Cure = NonNullable<PartWarning['cure']>;
type AnyCure = { words: string; operation: object | null };

/** For the core, which does not know what operations there are. */
export const warningCure = ({ words, operation }: AnyCure): Cure => ({
  words,
  operation: operation as Cure['operation'],
});

function warning(
  code: Cause,
  message: string,
  cure: AnyCure | null,
  areSeveral: boolean,
): PartWarning {
  const ofCore = OF_CORE[code];
  // Only one of several proxies has looked: which of them do not reach the upstream is said without.
  const down = ['UPSTREAM_DOWN'];
  return {
    code,
    message,
    ...(cure && { cure: warningCure(cure) }),
    replaces: areSeveral ? [] : down,
    unless: [...(areSeveral ? down : []), ...(ofCore === undefined ? [] : [ofCore])],
  };
}
