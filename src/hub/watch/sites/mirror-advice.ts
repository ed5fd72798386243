/** Says why a name has a certificate on one proxy and none on another. Pure. */
import type { Authority } from '../../../shared/wire-state.ts';
import { type Endpoint, keyOfEndpoint } from '../../model/endpoints.ts';
import { listed } from '../problem.ts';
import type { Advice } from './advice.ts';

/** What counts of an address on one of several agents. */
export type MirrorFacts = Endpoint & {
  agent: string;
  authority: Authority | null;
  certified: boolean;
  checkedAt: string | null;
  advice: Advice | null;
};

/**
 * The authority looks for its proof at the address that a name points to. Of several proxies behind one
 * address, such as a keepalived pair, it reaches only one.
 * @returns a function that gives the advice for one of the addresses
 */
export function mirrorAdvice(all: readonly MirrorFacts[]): (one: MirrorFacts) => Advice | null {
  const certified = all.filter((one) => one.certified && isVerified(one));
  const having = Map.groupBy(certified, keyOfEndpoint);
  return (one) => {
    const others = having.get(keyOfEndpoint(one));
    const lacks = !one.certified && one.checkedAt !== null && isVerified(one);
    return others && lacks ? mirrored(one, others) : one.advice;
  };
}

/** Whether an authority looks for a proof. */
const isVerified = ({ authority }: MirrorFacts): boolean =>
  authority === 'public' || authority === 'other';

function mirrored({ name, advice }: MirrorFacts, others: readonly MirrorFacts[]): Advice {
  const verb = others.length === 1 ? 'has' : 'have';
  const words = advice === null ? '' : `${advice.message} `;
  const message = `${words}${listed(others.map(({ agent }) => agent))} ${verb} a certificate for ${name}: if these proxies share an address, the authority’s check only reaches one of them. Use the DNS challenge, or a folder for certificates that the agents share (PROXY_STORAGE).`;
  return { code: 'MIRRORED', message, ways: ['dns'] };
}
