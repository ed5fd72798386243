/**
 * Sites that cannot have a policy with client certificates: Caddy asks for a certificate once for each name, before
 * it knows the path, and only over HTTPS. Pure.
 */
import { createPauses } from '../../shared/async.ts';
import type { Dialect } from '../../shared/caddyfile/dialect.ts';
import { maskPlaceholders } from '../../shared/caddyfile/placeholders.ts';
import { startsLine, tokenize } from '../../shared/caddyfile/tokenizer.ts';
import { Failure } from '../../shared/failure.ts';
import { fillUpstream } from '../caddyfile/render.ts';
import { type Imports, readImports } from '../caddyfile/snippets.ts';
import type { Policy } from '../recipes/policy.ts';
import { policiesOn } from './applied.ts';
import { endpointsUnder } from './endpoints.ts';
import { keysOf, type SiteSet, type Vhost } from './vhost.ts';

/** Whether a policy has Caddy ask for a certificate. */
export const asksForCertificate = ({ recipe, values }: Policy): boolean =>
  recipe === 'client-certificate' || values.exemptCertificates !== undefined;

/** Whether nobody gets in without one. */
const isRequired = ({ recipe, values }: Policy): boolean =>
  recipe === 'client-certificate' && values.mode !== 'request';

const ownOn = (vhost: Vhost, set: SiteSet): readonly Policy[] =>
  policiesOn(vhost, set).filter(asksForCertificate);

/**
 * @param ids of the vhosts that are changed
 * @param set with the preamble as the proxy has it
 * @param isHere whether the proxy serves a vhost
 * @throws Failure INVALID_REQUEST with the vhost
 */
export async function assertCertificates(
  ids: ReadonlySet<number>,
  set: SiteSet,
  dialect: Dialect,
  isHere: (vhost: Vhost) => boolean,
): Promise<void> {
  const here = { ...set, vhosts: set.vhosts.filter(isHere) };
  const changed = here.vhosts.filter(({ id }) => ids.has(id));
  const pause = createPauses();
  let imports: Imports | undefined;
  for (const vhost of changed) {
    await pause();
    const [policy, other] = ownOn(vhost, set);
    if (!policy) continue;
    if (other) throw refused(vhost, ...twoPolicies(policy, other));
    if (isHttp(vhost, set)) throw refused(vhost, ...overHttp(policy));
    if (vhost.check && isRequired(policy)) throw refused(vhost, ...checked(policy));
    const text = fillUpstream(vhost.config, vhost.upstream);
    if (!/client_auth|import/.test(text)) continue;
    imports ??= readImports(set.preamble, dialect);
    if (hasOwn(text, imports)) throw refused(vhost, ...twoAuthorities(policy));
  }
  assertNamesWhole(changed, here);
}

const isHttp = (vhost: Vhost, { preamble }: SiteSet): boolean =>
  keysOf(vhost, preamble).some((key) => key.startsWith('http://'));

/** Whether a text has a `client_auth`, itself or in a snippet that it imports. */
function hasOwn(text: string, { dialect, snippets }: Imports): boolean {
  const texts = new Set([text]);
  for (const one of texts) {
    const tokens = tokenize(maskPlaceholders(one).masked, dialect);
    for (const [index, { text: word }] of tokens.entries()) {
      if (!startsLine(tokens, index)) continue;
      if (word === 'client_auth') return true;
      const imported = word === 'import' && snippets.get(tokens[index + 1]?.text ?? '');
      if (imported) texts.add(imported.text);
    }
  }
  return false;
}

/** @throws Failure if a policy is on one of several vhosts that share a name by their paths */
function assertNamesWhole(changed: readonly Vhost[], set: SiteSet): void {
  const endpointsOf = endpointsUnder(set.preamble);
  const hasPath = (vhost: Vhost) =>
    keysOf(vhost, set.preamble).some((key) => /^(?:https?:\/\/)?[^/]*\//.test(key));
  const withPath = new Set(set.vhosts.filter(hasPath));
  if (withPath.size === 0) return;
  const isChanged = new Set(changed);
  const isShared = (one: Vhost, other: Vhost) =>
    endpointsOf(one).some((mine) =>
      endpointsOf(other).some(
        ({ name, port }) =>
          port === mine.port && (covers(name, mine.name) || covers(mine.name, name)),
      ),
    );
  for (const one of set.vhosts) {
    const [policy] = ownOn(one, set);
    if (!policy) continue;
    const all = isChanged.has(one) ? set.vhosts : changed;
    const other = (withPath.has(one) ? all : all.filter((vhost) => withPath.has(vhost))).find(
      (vhost) =>
        vhost !== one &&
        !ownOn(vhost, set).some(({ id }) => id === policy.id) &&
        isShared(one, vhost),
    );
    if (other) throw refused(one, ...sharedName(policy, other));
  }
}

/** Whether a host of a site, which is empty for any or has a wildcard, is also another. */
const covers = (host: string, name: string): boolean =>
  host === '' || host === name || (host.startsWith('*.') && name.endsWith(host.slice(1)));

const refused = ({ id, domain }: Vhost, words: string, hint: string): Failure =>
  new Failure('INVALID_REQUEST', `The site ${domain} ${words}`, {
    hint,
    at: { vhost: { id, domain } },
  });

type Words = [words: string, hint: string];

const leave = ({ name }: Policy): string =>
  `leave the policy ${name} off this site: if it applies everywhere, name it in the \`except\` of the site`;

const twoPolicies = (policy: Policy, other: Policy): Words => [
  `can have one policy for client certificates only, not both ${policy.name} and ${other.name}.`,
  'Put the authorities of both into one policy: its `authority` may be several certificates.',
];

const overHttp = (policy: Policy): Words => [
  `has an address for HTTP, over which nobody can show the certificate that the policy ${policy.name} asks for.`,
  `Use addresses for HTTPS only, or ${leave(policy)}.`,
];

const checked = (policy: Policy): Words => [
  `has a check, which has no certificate to show to the policy ${policy.name}.`,
  `Remove the check, or ${leave(policy)}.`,
];

const twoAuthorities = (policy: Policy): Words => [
  `has a client_auth of its own, and the policy ${policy.name} sets another: Caddy would ignore one of them.`,
  `Remove client_auth from the config and its snippets, or ${leave(policy)}.`,
];

const sharedName = (policy: Policy, other: Vhost): Words => [
  `shares its name with ${other.domain}, and Caddy asks for the certificate of the policy ${policy.name} before it knows the path.`,
  `Put the policy on both sites, or ${leave(policy)}.`,
];
