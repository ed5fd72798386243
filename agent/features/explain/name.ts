/** Where the name of a site points, as this machine sees it, which need not be what visitors see. */
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { NameFinding } from '../../../src/features/explain/wire.ts';
import { isInternalName, isPrivateAddress } from '../../../src/shared/internal-names.ts';
import { isLoopback } from '../../../src/shared/loopback.ts';
import { isOwnAddress } from '../../sites/handshake.ts';

/** The addresses of a name. @throws with a `code`: NOTFOUND or NODATA if there are none */
type Resolve = (name: string) => Promise<string[]>;

/** Milliseconds for the name servers. */
const TIMEOUT_MS = 2_000;
/** Second-level names for examples (RFC 2606), beside the top-level ones that `isInternalName` knows. */
const EXAMPLE = /(?:^|\.)example\.(?:com|net|org)$/;
/** There is no such name, or it has no address. */
const NONE = /NOTFOUND|NODATA/;

/**
 * Asks the name servers alone: a hosts file is this machine's own, and says nothing about visitors.
 * @param name of the site, maybe with `*`; empty for any
 */
export async function lookAtName(
  name: string,
  resolve: Resolve = askServers,
): Promise<NameFinding> {
  const family = isIP(name);
  if (family !== 0) return { state: stateOf([name]), addresses: [name] };
  const isPublic = name.includes('.') && !name.includes('*') && !isInternalName(name);
  if (!isPublic || EXAMPLE.test(name)) return { state: 'skipped', addresses: [] };
  try {
    const addresses = await resolve(name);
    return { state: addresses.length === 0 ? 'none' : stateOf(addresses), addresses };
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return { state: NONE.test(code) ? 'none' : 'silent', addresses: [] };
  }
}

/** Whose these are together: one that is this machine's is enough. */
function stateOf(addresses: readonly string[]): NameFinding['state'] {
  if (addresses.some((one) => isOwnAddress(one) && !isLoopback(one))) return 'own';
  if (addresses.every(isLoopback)) return 'loopback';
  return addresses.every(isPrivateAddress) ? 'private' : 'public';
}

/** Both kinds at once; an answer of one kind is enough. */
async function askServers(name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 });
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = [four, six].flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  if (addresses.length > 0) return addresses;
  const failed = [four, six].flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  // One that did not answer may have had an address.
  throw failed.find(({ code = '' }) => !NONE.test(code)) ?? failed[0];
}
