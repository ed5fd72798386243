/** Causes in what guards a site. Pure. */
import type { Facts, Row } from '../facts.ts';
import type { UpstreamFinding } from '../wire.ts';

const isDown = ({ connects, speaks }: UpstreamFinding): boolean =>
  !['open', 'unknown'].includes(connects) || !['http', 'unknown'].includes(speaks);

/** What Caddy says by itself to those who may not come in: a status, or the end of the connection. */
function refusalOf({ asked, policies, byAddress }: Facts): string | null {
  const isGuarded = policies.length > 0 || byAddress;
  if (asked === null || asked.by !== null || asked.error !== null || !isGuarded) return null;
  if (asked.fault === 'closed') return 'closes the connection';
  const isRefusal = asked.landed === 403 || asked.landed === 503;
  return isRefusal ? `answers ${asked.landed}` : null;
}

export const POLICY: readonly Row[] = [
  {
    code: 'SIGN_IN_DOWN',
    test({ upstreams, asked }) {
      const service = upstreams.find((one) => one.signIn && isDown(one));
      if (service) {
        return {
          words: `The sign-in service at ${service.address} does not answer: nobody gets in.`,
        };
      }
      if (asked?.portal === 'down') {
        return { words: 'The sign-in page to which visitors are sent does not answer.' };
      }
      return asked?.bySignIn && (asked.landed ?? 0) >= 500
        ? { words: `The sign-in service at ${asked.by} answers ${asked.landed}: nobody gets in.` }
        : null;
    },
  },
  {
    code: 'SIGN_IN_LOOP',
    test({ asked }) {
      const isLoop = asked?.portal === 'loop' || (asked?.bySignIn && asked.leads === 'loop');
      return isLoop
        ? {
            words: `Visitors are sent to ${asked.location}, which asks them to sign in again, and so on.`,
          }
        : null;
    },
  },
  {
    code: 'SHUT_OUT',
    test(facts) {
      const refusal = refusalOf(facts);
      if (refusal === null) return null;
      const { policies } = facts;
      const by = policies.length > 0 ? `the policies ${policies.join(', ')}` : 'the config';
      return {
        words: `Caddy ${refusal} by itself to visitors of every network that was tried, because of ${by}.`,
      };
    },
  },
];
