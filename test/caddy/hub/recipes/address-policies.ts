/** Sites with every policy that asks for addresses or for a sign-in service, and who comes past which. */
import { withNetworks } from '../../../../src/hub/caddyfile/trusted-proxies.ts';
import type { Values } from '../../../../src/hub/recipes/recipe.ts';
import { serverForFile } from '../../../harness/for-file.ts';
import {
  behind,
  bodyOf,
  request,
  type SitesCaddy,
  serveCaddyfile,
} from '../../../hub/recipes/sites-caddy.ts';

/** Addresses of this machine, and one of Cloudflare. */
export const HOP = '127.0.0.9';
export const SECOND_HOP = '127.0.0.8';
export const STRANGE_HOP = '127.0.0.3';
export const EDGE = '173.245.48.7';

/** Whom the policies let in, and whom not. */
export const FRIEND = '203.0.113.7';
export const FRIEND_6 = '2001:db8::7';
export const STRANGER = '198.51.100.1';
export const STRANGER_6 = '2001:db8:1::1';
const NETWORKS = [FRIEND, '2001:db8::/64'];

/** From which hop, with which lines of the request, and with which bytes before it. */
export type Visit = { from: string; lines?: readonly string[]; before?: string };

/** Until the end of the test file. */
export function createAddressPolicies() {
  /** What the sign-in service was told. */
  const told: Headers[] = [];
  /** Lets in, by what it is told; nobody is signed in. */
  const service = serverForFile(({ headers }) => {
    told.push(headers);
    const isFriend = [FRIEND, FRIEND_6].includes(headers.get('x-forwarded-for') ?? '');
    const isOpen = headers.get('x-forwarded-host') === 'open.test';
    return new Response(null, { status: isFriend || isOpen ? 200 : 401 });
  });
  const address = `127.0.0.1:${service.port}`;
  const users = [{ name: 'ada', hash: `$2a$04$${'a'.repeat(53)}` }];
  const exempt = { exemptNetworks: NETWORKS };

  const policies: [host: string, recipe: string, values: Values][] = [
    ['allow.test', 'allow', { networks: NETWORKS }],
    ['home.test', 'allow', { networks: ['private_ranges', ...NETWORKS] }],
    ['block.test', 'block', { networks: [STRANGER, '2001:db8:1::/64', '127.0.0.0/8', EDGE] }],
    ['maintenance.test', 'maintenance', exempt],
    ['password.test', 'basic-auth', { users, ...exempt }],
    ['authelia.test', 'authelia', { address, ...exempt }],
    ['authentik.test', 'authentik', { address, ...exempt }],
    ['service.test', 'forward-auth', { address, uri: '/check', copyHeaders: [], ...exempt }],
    ['told.test', 'forward-auth', { address, uri: '/check', copyHeaders: [] }],
  ];
  const all = policies.map(([host]) => host);

  return {
    told,
    all,
    /** @param preamble global options; empty: none */
    serve: (preamble: string): Promise<SitesCaddy> =>
      serveCaddyfile((port) => {
        const options =
          preamble === '' ? '{\n\tadmin off\n}\n' : preamble.replace('{', '{\n\tadmin off');
        const blocks = policies.map(
          ([host, id, values]) => `http://${host}:${port} {\n${behind([[id, values]])}\n}\n`,
        );
        return `${withNetworks(options)}${blocks.join('')}`;
      }),
    /** The policies past which a visit came. */
    async openTo(caddy: SitesCaddy, { from, lines = [], before = '' }: Visit): Promise<string[]> {
      const answers = all.map(async (host) => {
        const answer = await caddy.send(`${before}${request(host, { lines })}`, from);
        return bodyOf(answer) === 'BODY' ? [host] : [];
      });
      return (await Promise.all(answers)).flat();
    },
  };
}
