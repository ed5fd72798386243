/** Addresses and networks as Caddy compares them. Pure. */
import { isIP } from 'node:net';

/** What the URL standard makes of an address that stands for one of IPv4: mapped, or compatible (RFC 4291, 2.5.5), but not `::1`. */
const MAPPED = /^\[::(?:ffff:)?([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/;
/** The bits before the IPv4 address in it. */
const MAPPED_BITS = 96;

/**
 * An address or a network as Caddy compares it with those of clients: one of IPv4 that is written as one
 * of IPv6 (`::ffff:c000:201`) would be taken, and match nobody. Null for anything else.
 */
export function comparable(network: string): string | null {
  const [address = '', length, ...more] = network.split('/');
  const family = isIP(address);
  // Caddy takes no zones.
  if (family === 0 || more.length > 0 || address.includes('%')) return null;
  if (length !== undefined && !/^(?:0|[1-9]\d{0,2})$/.test(length)) return null;
  const [all, high = '', low = ''] =
    family === 6 ? (MAPPED.exec(new URL(`http://[${address}]/`).hostname) ?? []) : [];
  if (all === undefined) return Number(length ?? 0) <= (family === 4 ? 32 : 128) ? network : null;
  const bytes = [high, low].flatMap((word) => {
    const value = Number.parseInt(word, 16);
    return [value >> 8, value & 255];
  });
  const plain = bytes.join('.');
  if (length === undefined) return plain;
  const bits = Number(length) - MAPPED_BITS;
  // A shorter one would hold all IPv4 addresses and others besides, which is nothing that Caddy compares.
  return bits >= 0 && bits <= 32 ? `${plain}/${bits}` : null;
}

/** A list of them for a matcher; `private_ranges` stands for itself. */
export const listed = (networks: readonly string[]): string =>
  networks.map((network) => comparable(network) ?? network).join(' ');
