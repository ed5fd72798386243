/** How to fix what Caddy refuses, by its words. Pure. */

import { hasHeredocs } from '../../../shared/caddyfile/dialect.ts';
import { GLOBAL_OPTIONS } from '../../../shared/caddyfile/names.ts';
import type { Failure } from '../../../shared/failure.ts';
import { nearest } from '../../../shared/nearest.ts';
import { NO_PATH, pathHint } from '../../caddyfile/address.ts';
import { FORMER_NAMES, MODULES, packageOf, SINCE } from '../../caddyfile/features.ts';
import { insteadOf } from '../../caddyfile/newer-caddy.ts';
import { sayUnset, unsetIn } from '../../caddyfile/not-replaced.ts';
import { fillUpstream } from '../../caddyfile/render.ts';
import { addressList, DIRECTIVES } from '../../caddyfile/site.ts';
import type { Vhost } from '../../model/vhost.ts';

/** What refuses, and what a hint can be made from: the site at fault, if it is known. */
type Refused = { version: string | null; vhost: Vhost | undefined; line: number | undefined };

/** For each sentence of Caddy's, with the word it is about. */
const HINTS: readonly [RegExp, (word: string, refused: Refused) => string | undefined][] = [
  [/^unrecognized directive: (\S+)/, (word, of) => directive(word, of) ?? wholeBlock(word, of)],
  [/^Unexpected next token after '\{' on same line/i, () => ONE_LINE],
  [/^unrecognized global option: (\S+)/, (word, of) => known(word, of, GLOBAL_OPTIONS)],
  [/^unrecognized (?:servers|timeouts) option '([^']+)'/, serversOption],
  [/^(?:unrecognized|unknown) subdirective:? '?([\w-]+)/, (word, of) => known(word, of, [])],
  [/module not registered: ([\w.-]+)/, missingModule],
  [/URLs for proxy upstreams only support/, upstreamUrl],
];

/**
 * One sentence on how to fix what a refusal says; undefined if there is none.
 * @param version the proxy's, such as `2.6.2`; null if it is not known
 * @param vhosts those that were to be published
 */
function hintFor(
  { detail = '', at }: Failure,
  version: string | null,
  vhosts: readonly Vhost[] = [],
): string | undefined {
  const vhost = at.vhost && vhosts.find(({ id }) => id === at.vhost?.id);
  const instead = insteadOf(detail);
  if (instead !== undefined) return instead;
  for (const [sentence, hint] of HINTS) {
    const found = sentence.exec(detail);
    if (found) return hint(found[1] ?? '', { version, vhost, line: at.vhost?.line });
  }
  return undefined;
}

/**
 * As `hintFor`, but of a line with variables that Caddy's environment lacks, that; and of a text with some, if there
 * is no other hint.
 * @param text that the refusal is about, and `line` of it, if it is known
 */
export function hintWithin(
  refusal: Failure,
  { text, line }: { text: string; line: number | undefined },
  { version, environment }: { version: string | null; environment: readonly string[] | null },
  vhosts: readonly Vhost[] = [],
): string | undefined {
  const ofLine = line === undefined ? [] : unsetIn(text, environment, line);
  return (
    sayUnset(ofLine) ?? hintFor(refusal, version, vhosts) ?? sayUnset(unsetIn(text, environment))
  );
}

/** Whether the running Caddy is older than the first version with `word`. */
function isTooNew(word: string, version: string | null): boolean {
  const since = Object.hasOwn(SINCE, word) ? SINCE[word] : undefined;
  return since !== undefined && version !== null && Bun.semver.order(version, since) < 0;
}

/** @param name what people call it, if that is not the word that the tables have */
function needsNewer(word: string, version: string | null, name: string = word): string | undefined {
  if (!isTooNew(word, version)) return undefined;
  const former = FORMER_NAMES[word];
  const instead = former === undefined ? 'Install' : `Write \`${former}\`, or install`;
  return `\`${name}\` needs Caddy ${SINCE[word]?.replace(/\.0$/, '')}, and this is ${version}. ${instead} a newer Caddy from its own package source, as described in docs/deployment.md.`;
}

function plugin(name: string, what: string): string | undefined {
  const at = packageOf(name);
  if (at === undefined) return undefined;
  return `${what} is a plugin, and this Caddy was built without it. Add it with \`caddy add-package ${at}\`, or build a Caddy with \`xcaddy build --with ${at}\`, and restart Caddy.`;
}

const didYouMean = (word: string | undefined): string | undefined =>
  word === undefined ? undefined : `Did you mean \`${word}\`?`;

/** For a directive or option that exists since some version, in a plugin, or by a similar name. */
const known = (word: string, { version }: Refused, names: Iterable<string>): string | undefined =>
  needsNewer(word, version) ??
  plugin(word, `\`${word}\``) ??
  didYouMean(
    nearest(
      word,
      [...names].filter((name) => !isTooNew(name, version)),
    ),
  );

/** The Caddy options write this one for `trustedProxies`, so the way back is there too. */
const OF_TRUSTED = 'trusted_proxies_strict';
const TRUST_NONE =
  'Or trust no proxy: remove all in “Proxies before Caddy” of the Caddy options (`"trustedProxies": null`).';

function serversOption(word: string, refused: Refused): string | undefined {
  const newer = word === OF_TRUSTED ? needsNewer(word, refused.version) : undefined;
  return newer === undefined ? known(word, refused, []) : `${newer} ${TRUST_NONE}`;
}

const ONE_LINE =
  'Write what is between the braces on a line of its own, and the closing brace on the next line.';

/** Words of other languages, and what Caddy has in their place, if that is one directive. */
const NGINX: Readonly<Record<string, string>> = {
  location: 'handle',
  proxy_pass: 'reverse_proxy',
  proxy_set_header: 'header_up',
  fastcgi_pass: 'php_fastcgi',
  add_header: 'header',
  return: 'respond',
  // The name that each Caddy knows: `basic_auth` is one from 2.8 on.
  auth_basic: 'basicauth',
  allow: '',
  deny: '',
  listen: '',
  server: '',
  server_name: '',
  ssl_certificate: 'tls',
  ssl_certificate_key: 'tls',
  client_max_body_size: 'request_body',
  if: '',
};
const CADDY_1: Readonly<Record<string, string>> = {
  proxy: 'reverse_proxy',
  gzip: 'encode gzip',
  fastcgi: 'php_fastcgi',
  browse: 'file_server browse',
  ext: 'try_files',
  status: 'respond',
  errors: 'handle_errors',
  internal: 'error',
  limits: 'request_body',
  websocket: 'reverse_proxy',
  transparent: '',
  mime: 'header',
  index: 'file_server',
  realip: '',
};

/** Caddy reads each line of such a text as a directive, up to 2.6. */
const HEREDOC = /\s<<[\w-]+[ \t\r]*\n/;

function directive(word: string, refused: Refused): string | undefined {
  const ofWord = needsNewer(word, refused.version) ?? plugin(word, `\`${word}\``);
  if (ofWord !== undefined) return ofWord;
  if (Object.hasOwn(NGINX, word)) return otherLanguage('nginx', word, NGINX[word]);
  if (Object.hasOwn(CADDY_1, word)) return otherLanguage('Caddy 1', word, CADDY_1[word]);
  const isOld = refused.version !== null && !hasHeredocs(refused.version);
  if (isOld && HEREDOC.test(refused.vhost?.config ?? '')) {
    return `A text of several lines (\`<<\`) needs Caddy 2.7, and this is ${refused.version}. Write it in quotes or backticks, or install a newer Caddy.`;
  }
  return (
    known(word, refused, DIRECTIVES) ??
    (opensBlock(word, refused) && !isAddress(word)
      ? `No directive of Caddy is called \`${word}\`. If a plugin has it, find its package on caddyserver.com/download and add it with \`caddy add-package PACKAGE\`.`
      : undefined)
  );
}

const otherLanguage = (language: string, word: string, instead = ''): string =>
  instead === ''
    ? `\`${word}\` is a word of ${language}, which Caddy 2 does not read. Caddy's own directives are on caddyserver.com/docs/caddyfile/directives.`
    : `\`${word}\` is a word of ${language}, which Caddy 2 does not read: write \`${instead}\`.`;

/** Whether a config begins with a block of this name. */
const opensBlock = (word: string, { vhost }: Refused): boolean =>
  vhost !== undefined && (addressList(vhost.config)?.includes(word.replace(/,$/, '')) ?? false);

const isAddress = (word: string): boolean => /[.:*/]/.test(word) || word === 'localhost';

/** A block whose address is no longer that of its site is read as a body that begins with a directive. */
function wholeBlock(word: string, { vhost }: Refused): string | undefined {
  const address = word.replace(/,$/, '');
  if (!vhost || !addressList(vhost.config)?.includes(address)) return undefined;
  if (DIRECTIVES.has(address) || !isAddress(address)) return undefined;
  return `This config is a whole site block for ${address}, but the domain is ${vhost.domain}. Write the domain in the block as well, or remove the address and the braces around the rest.`;
}

/** Where a file says `dns PROVIDER`, the hub can do without the plugin. */
const BY_HUB =
  ' Or let the hub get the certificate by DNS, without the plugin, on the page Certificates (docs/certificates.md).';

function missingModule(module: string, of: Refused): string | undefined {
  const hint = howToGet(module, of);
  return hint !== undefined && module.startsWith('dns.providers.') ? hint + BY_HUB : hint;
}

function howToGet(module: string, { version }: Refused): string | undefined {
  const cut = module.lastIndexOf('.');
  const [namespace, name] = [module.slice(0, cut), module.slice(cut + 1)];
  const near = nearest(
    name,
    (MODULES[namespace] ?? []).filter((one) => !isTooNew(`${namespace}.${one}`, version)),
  );
  return (
    needsNewer(module, version, name) ??
    plugin(module, `${module}`) ??
    didYouMean(near) ??
    `This Caddy was built without the module ${module}. If it belongs to a plugin, find its package on caddyserver.com/download and add it with \`caddy add-package PACKAGE\`, or check the name.`
  );
}

function upstreamUrl(_: string, { vhost, line }: Refused): string {
  const text = vhost ? fillUpstream(vhost.config, vhost.upstream) : '';
  const words = (text.split('\n')[(line ?? 1) - 1] ?? '').split(/\s+/);
  return words.map(pathHint).find((hint) => hint !== undefined) ?? NO_PATH;
}
