/** Faults of what a policy, or the site's own config, makes of a visitor before any upstream is asked. */
import { freePort } from '../../../harness/stack.ts';
import { httpPort, type Stops } from '../services/listening.ts';
import { type Fault, forwarding } from './fault.ts';

const HEADERS = ['Remote-User'];
const upstream = (stops: Stops) =>
  forwarding(`127.0.0.1:${httpPort(stops, () => new Response('up'))}`);

export const POLICY: readonly Fault[] = [
  {
    name: 'two policies that let in networks without an address in common',
    cause: 'SHUT_OUT',
    hasOperation: false,
    stage: async ({ stops, policy }) => ({
      site: {
        ...upstream(stops),
        policies: [
          await policy('allow', { networks: ['10.77.0.0/16'] }),
          await policy('allow', { networks: ['10.78.0.0/16'] }),
        ],
      },
      instead: { policies: [] },
    }),
  },
  {
    name: 'a sign-in service that is down',
    cause: 'SIGN_IN_DOWN',
    hasOperation: false,
    stage: async ({ stops, policy }) => {
      const port = freePort();
      const values = { address: `127.0.0.1:${port}`, uri: '/verify', copyHeaders: HEADERS };
      return {
        site: { ...upstream(stops), policies: [await policy('forward-auth', values)] },
        mend: () => {
          const service = Bun.serve({ hostname: '127.0.0.1', port, fetch: () => new Response() });
          stops.add(() => service.stop(true));
        },
      };
    },
  },
  {
    name: 'a sign-in page behind its own sign-in',
    cause: 'SIGN_IN_LOOP',
    hasOperation: false,
    stage: ({ stops }) => {
      // As Authelia sends somebody without a session to its portal.
      const portal = httpPort(stops, (_, { pathname }) =>
        pathname === '/verify'
          ? Response.redirect('http://auth.example/?rd=http://auth.example/')
          : new Response('portal'),
      );
      const config = `forward_auth 127.0.0.1:${portal} {\n\turi /verify\n\tcopy_headers Remote-User\n}\nreverse_proxy 127.0.0.1:${portal}`;
      return {
        site: { domain: 'http://auth.example', config },
        instead: { config: `reverse_proxy 127.0.0.1:${portal}` },
      };
    },
  },
];
