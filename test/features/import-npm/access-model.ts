/** What nginx does with an access list, and what Caddy does with policies, by two plain readings. */
import { BlockList, isIP } from 'node:net';
import type { Protection } from '../../../src/features/import-npm/npm/access.ts';
import type { AccessList } from '../../../src/features/import-npm/npm/rows.ts';
import { listed } from '../../../src/hub/recipes/networks.ts';

export type Visitor = { address: string; user?: { name: string; password: string } };

/** By network and address. */
const known = new Map<string, boolean>();

function holds(network: string, address: string): boolean {
  const key = `${network} ${address}`;
  const answer = known.get(key) ?? isIn(network, address);
  known.set(key, answer);
  return answer;
}

function isIn(network: string, address: string): boolean {
  if (network === 'all') return true;
  const [first = '', bits] = network.split('/');
  const family = isIP(first);
  if (family === 0 || family !== isIP(address)) return false;
  const [name, all] = family === 4 ? (['ipv4', 32] as const) : (['ipv6', 128] as const);
  const list = new BlockList();
  list.addSubnet(first, Number(bits ?? all), name);
  return list.check(address, name);
}

/** nginx with the files of NPM. @param otherwise for an address that no client has */
export function nginxStatus(
  { satisfies, users, clients }: Pick<AccessList, 'satisfies' | 'users' | 'clients'>,
  { address, user }: Visitor,
  otherwise: 'allow' | 'deny' = 'deny',
): number {
  const first = clients.find((client) => holds(client.address, address));
  const isAllowed = (first?.directive ?? otherwise) === 'allow';
  const knows = user !== undefined && user.name !== '' && isInFile(users, user);
  if (users.length === 0) return clients.length === 0 || isAllowed ? 200 : 403;
  if (clients.length === 0) return knows ? 200 : 401;
  if (satisfies === 'any') return isAllowed || knows ? 200 : 401;
  if (!isAllowed) return 403;
  return knows ? 200 : 401;
}

/** NPM writes a line per user, until one has no password; nginx reads up to the first with the name. */
function isInFile(users: AccessList['users'], { name, password }: AccessList['users'][number]) {
  const end = users.findIndex((user) => user.password === '');
  const lines = end === -1 ? users : users.slice(0, end);
  const found = lines.find((user) => user.name.split(':')[0] === name);
  // What precedes the second colon would be the hash.
  return found?.name === name && !name.startsWith('#') && found.password === password;
}

/** Caddy with the policies. */
export function caddyStatus(policies: Protection['policies'], { address, user }: Visitor): number {
  for (const { recipe, values } of policies) {
    const { networks, exemptNetworks, users } = values as {
      networks?: string[];
      exemptNetworks?: string[];
      users?: AccessList['users'];
    };
    const has = (list: string[] = []) =>
      listed(list)
        .split(' ')
        .some((network) => holds(network, address));
    if (recipe === 'allow' && !has(networks)) return 403;
    if (recipe === 'block' && has(networks)) return 403;
    const knows = users?.some((one) => one.name === user?.name && one.password === user.password);
    if (recipe === 'basic-auth' && !has(exemptNetworks) && !knows) return 401;
  }
  return 200;
}
