/** What Caddy accepts in a config and can hardly be meant: it loops, or nobody can sign in. Pure. */

import { portOptions } from '../../shared/caddyfile/globals.ts';
import { maskPlaceholders } from '../../shared/caddyfile/placeholders.ts';
import { startsLine, tokenize } from '../../shared/caddyfile/tokenizer.ts';
import { isUpstream, serviceAt } from '../caddyfile/address.ts';
import { notReplaced, sayNotReplaced, sayUnset, unsetIn } from '../caddyfile/not-replaced.ts';
import { fillUpstream } from '../caddyfile/render.ts';
import { siteForm } from '../caddyfile/site.ts';
import { isPlacedOn, setFor } from './applied.ts';
import { changedVhosts, type SiteSet, type Vhost } from './vhost.ts';

/** Something to look at; `message` is one sentence. */
type Doubt = { code: string; message: string };

type Site = Pick<Vhost, 'domain' | 'config' | 'upstream'>;

/** A line of a config: its words, and the first words of the blocks that it is in. */
type Line = { words: readonly string[]; inside: readonly string[] };

/** The proxy that a site is placed on; `version` is null if it is not known. */
type Proxy = {
  ports: { http: number; https: number };
  version: string | null;
  /** The names of the variables in its environment; null if they are not known. */
  environment: readonly string[] | null;
  /** The files of logs that it cannot write. */
  unwritable: readonly string[];
};

/** One of each kind at most; nothing is refused for it. */
export function doubtsOf(site: Site, { ports, unwritable, ...proxy }: Proxy): Doubt[] {
  const lines = linesOf(site);
  return [
    ...placeholderDoubts(`${site.domain}\n${site.config}`, proxy),
    ...one('LOG_NOT_WRITTEN', unwrittenLog(site, unwritable)),
    ...one('REDIRECTS_TO_ITSELF', lines.map((line) => redirect(line, site)).find(isFound)),
    ...one('UPSTREAM_IS_PROXY', ownPort(lines, Object.values(ports))),
    ...one('HASH_UNUSABLE', lines.map(hash).find(isFound)),
    ...one('HEADER_MISPLACED', lines.map(misplaced).find(isFound)),
  ];
}

/** Those about the placeholders of a text, which the proxy does not replace as they are meant. */
function placeholderDoubts(
  text: string,
  { version, environment }: Pick<Proxy, 'version' | 'environment'>,
): Doubt[] {
  if (!text.includes('{')) return [];
  const left = notReplaced(text, version);
  return [
    ...one('VARIABLE_NOT_SET', sayUnset(unsetIn(text, environment))),
    ...one('NEEDS_NEWER_CADDY', left && version ? sayNotReplaced(left, version) : undefined),
  ];
}

/** What is known of the proxies, by the name of their agent; undefined: the first one. */
type ProxyFacts = Readonly<{
  version(agent?: string): Proxy['version'];
  environment(agent?: string): Proxy['environment'];
  unwritable(agent?: string): Proxy['unwritable'];
}>;

/** @returns a function that gives the doubts about a site of the set, by the first of its proxies */
export function doubtsIn(
  set: SiteSet,
  { version, environment, unwritable }: ProxyFacts,
): (vhost: Vhost) => Doubt[] {
  return (vhost) => {
    const agent = set.agents.find(({ id }) => isPlacedOn(vhost, id));
    if (!agent) return [];
    const { id, name } = agent;
    const ports = portOptions(setFor(set, id).preamble);
    const proxy = { version: version(name), environment: environment(name) };
    return doubtsOf(vhost, { ports, ...proxy, unwritable: unwritable(name) });
  };
}

/** Those about what is new in a set; for several sites, with the names of the sites. */
export function newDoubts(before: SiteSet, next: SiteSet, proxies: ProxyFacts): Doubt[] {
  const changed = changedVhosts({ before, after: next }).filter(({ enabled }) => enabled);
  const of = doubtsIn(next, proxies);
  const ofSites = changed.flatMap((vhost) =>
    of(vhost).map(({ code, message }) => ({
      code,
      message: changed.length > 1 ? `${vhost.domain}: ${message}` : message,
    })),
  );
  if (next.preamble === before.preamble) return ofSites;
  const [first] = next.agents;
  const proxy = {
    version: proxies.version(first?.name),
    environment: proxies.environment(first?.name),
  };
  const ofPreamble = placeholderDoubts(next.preamble, proxy);
  return [
    ...ofPreamble.map(({ code, message }) => ({ code, message: `Preamble: ${message}` })),
    ...ofSites,
  ];
}

const isFound = (message: string | undefined): message is string => message !== undefined;
const one = (code: string, message: string | undefined): Doubt[] =>
  message === undefined ? [] : [{ code, message }];

function unwrittenLog({ config }: Site, files: readonly string[]): string | undefined {
  const file = files.find((one) => config.includes(one));
  return file === undefined
    ? undefined
    : `Caddy’s user cannot write the log ${file}: nothing is logged there.`;
}

export function linesOf({ domain, config, upstream }: Site): Line[] {
  const whole = siteForm(domain, config).form === 'block' ? 1 : 0;
  const tokens = tokenize(maskPlaceholders(fillUpstream(config, upstream)).masked);
  const lines: (Line & { words: string[] })[] = [];
  const blocks: string[] = [];
  for (const [index, { text, quote }] of tokens.entries()) {
    const isFirst = startsLine(tokens, index);
    if (quote === '' && text === '}' && isFirst) blocks.pop();
    else if (quote === '' && text === '{' && startsLine(tokens, index + 1)) {
      blocks.push(lines.at(-1)?.words[0] ?? '');
    } else if (isFirst) lines.push({ words: [text], inside: blocks.slice(whole) });
    else lines.at(-1)?.words.push(text);
  }
  return lines;
}

/** `redir http://{host}{uri}` of a site of HTTP, for all its requests. */
function redirect({ words: [directive, ...more], inside }: Line, { domain }: Site) {
  if (directive !== 'redir' || inside.length > 0) return undefined;
  const [to = '', code = ''] = more[0] === '*' ? more.slice(1) : more;
  if (/^[@/]/.test(to) && code !== '' && !/^(?:\d{3}|html|permanent|temporary)$/.test(code))
    return undefined;
  const [, scheme = 'https', host = ''] = /^(?:(https?):\/\/)?([^/]*)/.exec(domain) ?? [];
  const said = to
    .replace('{scheme}', scheme)
    .replace(/\{(?:host|hostport|http\.request\.host|http\.request\.hostport)\}/, host)
    .replace('{http.request.uri}', '{uri}');
  if (said !== '{uri}' && said !== `${scheme}://${host}{uri}`) return undefined;
  return `\`redir ${to}\` sends every visitor to the address that they came from: the site redirects to itself.`;
}

/** An upstream at which the proxy itself answers, with the name of the same site. */
function ownPort(lines: readonly Line[], ports: readonly number[]) {
  // With another name, it is another site.
  const isRenamed = lines.some(
    ({ words }) => words[0] === 'header_up' && /^[+-]?host$/i.test(words[1] ?? ''),
  );
  if (isRenamed) return undefined;
  const own = ports.map((port) => `localhost:${port}`);
  const upstream = upstreamsIn(lines).find((one) => own.includes(serviceAt(one)));
  return upstream === undefined ? undefined : sayOwnPort(upstream);
}

export const sayOwnPort = (upstream: string): string =>
  `The upstream ${upstream} is the proxy itself: each request would come back to this site, again and again.`;

/** Where requests may go: the words after each `reverse_proxy`, and its `to`. */
export const upstreamsIn = (lines: readonly Line[]): string[] =>
  lines
    .filter(({ words: [first] }) => first === 'reverse_proxy' || first === 'to')
    .flatMap(({ words: [, ...targets] }) => targets.filter(isUpstream));

const SIGN_IN = ['basic_auth', 'basicauth'];

/** A hash from a compose file, where each dollar is written twice, or one of Apache's. */
function hash({ words, inside }: Line): string | undefined {
  if (!SIGN_IN.includes(inside.at(-1) ?? '')) return undefined;
  const [name = '', text = ''] = words;
  if (/^\$\$2[abxy]?\$\$/.test(text)) {
    return `Nobody can sign in as ${name}: the hash has each dollar sign twice, as a compose file writes it. Write \`$\` in place of \`$$\`.`;
  }
  if (/^(?:\$apr1\$|\{SHA\}|\$[156]\$)/.test(text)) {
    return `Nobody can sign in as ${name}: Caddy does not know this kind of hash. Make one with \`caddy hash-password\`.`;
  }
  return undefined;
}

/** What belongs into `reverse_proxy`, and makes a header of that name elsewhere. */
function misplaced({ words: [first = ''], inside }: Line): string | undefined {
  if (inside.at(-1) !== 'header' || !/^header_(?:up|down)$/.test(first)) return undefined;
  return `\`${first}\` belongs into the block of \`reverse_proxy\`: within \`header\` it sets a header of the name ${first}.`;
}
