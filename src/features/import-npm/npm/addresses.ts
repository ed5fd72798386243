/** The addresses of a site from nginx's names of a host. Pure. */
import { addressKey, normalizeDomain } from '../../../hub/caddyfile/address.ts';
import type { Remark } from './notes.ts';

/** How a host is served: `both` with and without TLS. */
type Scheme = 'http' | 'https' | 'both';

type Addresses = {
  /** None: no other host has them. */
  addresses: readonly string[];
  remarks: readonly Remark[];
};

/**
 * @param names as typed
 * @param taken keys of the addresses of hosts that nginx read before, to which those of this one are added
 */
export function addressesOf(
  names: readonly string[],
  scheme: Scheme,
  taken: Set<string>,
): Addresses {
  const remarks: Remark[] = [];
  const addresses: string[] = [];
  for (const name of names.flatMap(expanded)) {
    const host = hostOf(name);
    if (host === null) {
      const text = `Caddy cannot serve “${name}”. Write out the names that it stands for.`;
      remarks.push({ level: 'warning', text });
      continue;
    }
    const wanted = SCHEMES[scheme].map((prefix) => `${prefix}${host}`);
    const free = wanted.filter((address) => !taken.has(addressKey(address)));
    if (free.length === 0) {
      if (addresses.some((address) => addressKey(address) === addressKey(wanted[0] ?? '')))
        continue;
      const text = `Another host of NPM has the name ${host} too, and nginx serves that one.`;
      remarks.push({ level: 'warning', text });
      continue;
    }
    for (const address of free) taken.add(addressKey(address));
    // nginx redirects it from plain HTTP, too.
    if (scheme === 'https') taken.add(addressKey(`http://${host}`));
    addresses.push(...free);
    if (/[^\0-\x7f]/.test(name)) remarks.push(UNICODE);
    if (host.startsWith('*.')) remarks.push(ONE_LABEL);
  }
  return { addresses, remarks: [...new Set(remarks)] };
}

const SCHEMES = { http: ['http://'], https: [''], both: ['', 'http://'] } as const;

/** nginx's `.example.org` is the name itself and all below it. */
const expanded = (name: string): string[] =>
  name.trim().startsWith('.') ? [name.trim().slice(1), `*${name.trim()}`] : [name.trim()];

/** In normal form, without a scheme or a port; null if Caddy has no such names. */
function hostOf(name: string): string | null {
  const normal = /[:/]/.test(name) ? null : normalizeDomain(name);
  return normal === null || /[:/]/.test(normal) ? null : normal;
}

const UNICODE: Remark = {
  level: 'warning',
  text: 'Browsers send this name in punycode, which NPM never answered; here it is served.',
};
const ONE_LABEL: Remark = {
  level: 'warning',
  text: 'In NPM, *.example.org also stands for a.b.example.org; in Caddy only for one label, such as a.example.org. Add the deeper names that you use.',
};
