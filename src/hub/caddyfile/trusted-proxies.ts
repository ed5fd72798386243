/** Reads and writes in a preamble which proxies in front of Caddy are believed about their clients. Pure. */

import { dialectsFor } from '../../shared/caddyfile/dialect.ts';
import {
  type Edit,
  edited,
  globalOptions,
  hasGlobalOptions,
  withoutOptions,
} from '../../shared/caddyfile/globals.ts';
import { type TokenizeOptions, tokenize } from '../../shared/caddyfile/tokenizer.ts';
import { comparable } from '../recipes/networks.ts';
import { CLOUDFLARE } from './cloudflare.ts';

/** Instead of addresses; Caddy itself knows only the second. */
const NAMES: readonly string[] = ['cloudflare', 'private_ranges'];

/** The bits that a network must have, by whether it is of IPv6: a shorter one trusts a good part of all strangers. */
const LEAST_BITS = { v4: 8, v6: 16 };

/** Why a proxy cannot be trusted by this name, as the end of "It …"; null if it can. */
export function faultOfProxy(name: string): string | null {
  if (NAMES.includes(name)) return null;
  const network = comparable(name);
  if (network === null) {
    return 'must be cloudflare, private_ranges, an IP address, or a network such as 192.168.1.0/24';
  }
  const [, bits] = network.split('/');
  const least = network.includes(':') ? LEAST_BITS.v6 : LEAST_BITS.v4;
  if (bits === undefined || Number(bits) >= least) return null;
  return `must be no larger than /${least}, or strangers are trusted too`;
}

/** The options that are written and removed here. */
const OPTIONS: readonly string[] = ['trusted_proxies', 'trusted_proxies_strict'];

/** One `servers` block of a preamble. */
type Servers = {
  /** The first address that it is limited to, if any. */
  address: string | undefined;
  /** The offset after the brace that opens it. */
  inside: number;
  options: { name: string; words: string[]; start: number; end: number }[];
  start: number;
  end: number;
};

function serversIn(preamble: string, dialect: TokenizeOptions = {}): Servers[] {
  if (!preamble.includes('servers')) return [];
  return globalOptions(preamble, dialect)
    .filter(({ name }) => name === 'servers')
    .flatMap(({ start, end }): Servers[] => {
      const text = preamble.slice(start, end);
      const tokens = tokenize(text);
      const brace = tokens.findIndex((token) => token.text === '{');
      const open = tokens[brace];
      if (!open) return [];
      // A block alone is read like global options.
      const options = globalOptions(text.slice(open.start)).map((one) => ({
        name: one.name,
        words: tokenize(text.slice(open.start + one.start, open.start + one.end))
          .slice(1)
          .map((token) => token.text),
        start: start + open.start + one.start,
        end: start + open.start + one.end,
      }));
      const address = brace > 1 ? tokens[1]?.text : undefined;
      return [{ address, inside: start + open.end, options, start, end }];
    });
}

/** The proxies that an option names. */
const listOf = ({ options }: Servers): string[] | undefined => {
  const [kind, ...networks] = options.find(({ name }) => name === 'trusted_proxies')?.words ?? [];
  return kind === 'static' ? networks : undefined;
};

/**
 * The proxies in front of Caddy that a preamble trusts, on all ports: `cloudflare`, `private_ranges`, addresses and
 * networks. Null if it trusts none, or says so in another way.
 */
export function trustedIn(preamble: string): string[] | null {
  const [servers, ...others] = serversIn(preamble);
  if (!servers || servers.address !== undefined || others.length > 0) return null;
  return listOf(servers) ?? null;
}

/** Why `withTrusted` cannot edit a preamble, in a sentence; null if it can. */
export function faultOfTrusting(preamble: string): string | null {
  const readings = dialectsFor({ heredocs: false }, [preamble]).map((one) =>
    serversIn(preamble, one),
  );
  const [found = []] = readings;
  if (!readings.every((one) => Bun.deepEquals(one, found))) {
    return 'Caddy 2.7 and newer read `servers` in the Caddy options differently, because of a `<<`. Remove that first.';
  }
  const [servers, ...others] = found;
  if (!servers) return null;
  if (servers.address !== undefined || others.length > 0) {
    return 'The Caddy options have `servers` blocks for single addresses. Write `trusted_proxies` and `trusted_proxies_strict` into each that needs them.';
  }
  const names = servers.options.map(({ name }) => name);
  if (names.includes('trusted_proxies') && !listOf(servers)) {
    return 'The Caddy options have a `trusted_proxies` that gets its addresses from a module. Remove it from there first.';
  }
  if (!names.includes('client_ip_headers')) return null;
  return 'The Caddy options have `client_ip_headers`, but a visitor can invent every header that a proxy does not replace; only `X-Forwarded-For` is read from its end. Remove `client_ip_headers` from there first.';
}

/**
 * A preamble in which Caddy believes these proxies about their clients, and only what the first one wrote that is
 * not among them. Nothing else of it changes. Only for one without a fault, see `faultOfTrusting`.
 * @param trusted null: none
 */
export function withTrusted(preamble: string, trusted: readonly string[] | null): string {
  const bare = without(preamble);
  if (trusted === null) return bare;
  const list = trusted.map((name) => comparable(name) ?? name).join(' ');
  // The younger one first: a Caddy that is too old names it.
  const lines = `trusted_proxies_strict\n\t\ttrusted_proxies static ${list}`;
  const [servers] = serversIn(bare);
  if (servers) return inserted(bare, servers.inside, `\n\t\t${lines}`);
  const block = `\n\tservers {\n\t\t${lines}\n\t}`;
  const [first] = tokenize(`\n${bare}`, { most: 1 });
  if (first?.text === '{') return inserted(bare, first.end - 1, block);
  return `{${block}\n}\n${bare === '' ? '' : `\n${bare}`}`;
}

/** A preamble without these options, and without blocks that had nothing else. */
function without(preamble: string): string {
  const [servers] = serversIn(preamble);
  if (!servers) return preamble;
  const ours = servers.options.filter(({ name }) => OPTIONS.includes(name));
  const isAll = ours.length > 0 && ours.length === servers.options.length;
  const rest = withoutOptions(preamble, isAll ? [servers] : ours);
  return hasGlobalOptions(rest) ? rest : rest.replace(/^\s*\{\s*\}\n*/, '');
}

/** A text with lines after a brace, and what follows it there on a line of its own. */
function inserted(text: string, at: number, lines: string): string {
  const follows = /^[^\S\n]*\S/.test(text.slice(at));
  return edited(text, [{ start: at, end: at, text: follows ? `${lines}\n` : lines }]);
}

/**
 * A preamble as Caddy reads it: with the networks of Cloudflare in place of `cloudflare`. Each line keeps its
 * number.
 */
export function withNetworks(preamble: string): string {
  const edits = serversIn(preamble).flatMap(({ options }) =>
    options.flatMap(({ name, words, start, end }): Edit[] => {
      if (name !== 'trusted_proxies' || words[0] !== 'static') return [];
      const named = words.flatMap((word) => (word === 'cloudflare' ? CLOUDFLARE : [word]));
      return named.length === words.length
        ? []
        : [{ start, end, text: [name, ...named].join(' ') }];
    }),
  );
  return edited(preamble, edits);
}
