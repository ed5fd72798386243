/** All certificates, and the names that have none, of one agent or of all; and those of a draft. */
import { type Static, t } from 'elysia';
import { portOptions } from '../../../shared/caddyfile/globals.ts';
import { integer } from '../../../shared/integer.ts';
import { NullableAuthority, SiteError } from '../../../shared/wire/sites.ts';
import { type Agent, askAll, chosen } from '../../agents/agents.ts';
import { Timestamp } from '../../http/schemas.ts';
import { agentsNamed, setFor } from '../../model/applied.ts';
import { servedFor } from '../../model/certificate.ts';
import type { SiteSet, VhostInput } from '../../model/vhost.ts';
import { draftCaddyfile } from '../../publish/preview.ts';
import type { Publisher } from '../../publish/publisher.ts';
import { type Advice, adviceOf, type MirrorFacts, mirrorAdvice, NullableAdvice } from './advice.ts';
import { daysLeft, isLate, type KnownName, readNames } from './certificates.ts';

const nullable = <T extends Parameters<typeof t.Union>[0][number]>(schema: T, of = '') =>
  t.Union([schema, t.Null()], of === '' ? {} : { description: of });

export const CertificateEntry = t.Object(
  {
    id: integer({ description: 'of the vhost' }),
    domain: t.String({ description: 'of the vhost' }),
    name: t.String({ description: 'the host name that the certificate is for' }),
    port: integer(),
    issuer: nullable(t.String(), 'like the next three, null if there is no certificate'),
    notBefore: nullable(Timestamp),
    notAfter: nullable(Timestamp),
    daysLeft: nullable(integer(), 'whole days; negative if it has expired'),
    automated: t.Boolean({ description: 'the proxy, or the hub, renews it automatically' }),
    kept: t.Optional(t.String({ description: 'the name of the kept certificate that it is' })),
    authority: NullableAuthority,
    checkedAt: nullable(Timestamp, 'when the agent last asked the proxy for it'),
    problem: nullable(t.String(), 'the problem that needs attention, for people'),
    advice: NullableAdvice,
    agent: t.Optional(
      t.String({ description: 'whose proxy it is; only if the hub has several agents' }),
    ),
    error: nullable(
      t.Omit(SiteError, ['kind']),
      'why the last attempt to get a certificate failed',
    ),
  },
  { title: 'Certificate' },
);
export type CertificateEntry = Static<typeof CertificateEntry>;

/** `missing` are the agents that could not be asked. */
type CertificateList = { entries: CertificateEntry[]; missing: readonly string[] };

/**
 * By vhost, in rendering order; of several agents by agent before.
 * @param name of the only one to ask @throws Failure NOT_FOUND, and as `readNames`
 */
export async function listCertificates(
  publisher: Publisher,
  now: () => Date,
  name?: string,
): Promise<CertificateList> {
  async function read(agent: Agent): Promise<CertificateEntry[]> {
    const names = await readNames(agent, publisher);
    const set = setFor(publisher.current(), agent.id);
    const time = now().getTime();
    return names
      .filter(({ endpoint }) => endpoint.name !== '')
      .map((known) => entryOf(known, set, time));
  }
  const only = chosen(publisher.agents, name);
  if (only) return { entries: await read(only), missing: [] };
  const { answers, missing } = await askAll(publisher.agents.all(), read);
  const all = answers.flatMap(({ agent, answer }) =>
    answer.map((entry) => ({ ...entry, agent: agent.name })),
  );
  return { entries: advised(all), missing };
}

/** With advice for names that have a certificate on another agent. */
function advised(all: readonly (CertificateEntry & { agent: string })[]): CertificateEntry[] {
  const facts = all.map((one): MirrorFacts => ({ ...one, certified: one.issuer !== null }));
  const adviceOf = mirrorAdvice(facts);
  return all.map((entry, i) => {
    const advice = adviceOf(facts[i] as MirrorFacts);
    return advice === entry.advice ? entry : { ...entry, advice, problem: advice?.message ?? null };
  });
}

function entryOf(
  { vhost, endpoint, site }: KnownName,
  { preamble, certificates }: SiteSet,
  time: number,
): CertificateEntry {
  const ports = portOptions(preamble);
  const kept = site.kept ? servedFor(endpoint.name, certificates)?.name : undefined;
  const { certificate, automated, authority, checkedAt, error } = site;
  const advice = adviceOf({
    name: endpoint.name,
    authority,
    dns: site.dns,
    certified: certificate !== null,
    ports,
    refusal: error?.standing ? error.message : null,
  });
  return {
    id: vhost.id,
    domain: vhost.domain,
    ...endpoint,
    issuer: certificate?.issuer ?? null,
    notBefore: certificate?.notBefore ?? null,
    notAfter: certificate?.notAfter ?? null,
    daysLeft: certificate && daysLeft(new Date(certificate.notAfter), time),
    automated,
    ...(kept !== undefined && { kept }),
    authority,
    checkedAt,
    problem: problemOf(site, advice, time),
    advice,
    error,
  };
}

function problemOf(
  { certificate, checkedAt, reason, automated, kept }: KnownName['site'],
  advice: Advice | null,
  time: number,
): string | null {
  // Without a handshake there is nothing wrong yet: it may be due, or issued on demand.
  if (!certificate) return advice?.message ?? (checkedAt && reason);
  const [notBefore, notAfter] = [new Date(certificate.notBefore), new Date(certificate.notAfter)];
  if (notAfter.getTime() < time) return 'It has expired.';
  if (advice) return advice.message;
  if (!isLate({ automated, notBefore, notAfter }, time)) return null;
  if (!automated) return 'It is not renewed automatically.';
  return `${kept ? 'signalbox' : 'Caddy'} should have renewed it by now.`;
}

/** Downloads the newest Caddy with a DNS provider, from where Caddy's own download page does. */
const DNS_COMMAND = [
  'sudo curl -fLo /usr/local/bin/caddy "https://caddyserver.com/api/download?os=linux',
  "&arch=$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')&p=github.com/caddy-dns/cloudflare\"",
  ' && sudo chmod 755 /usr/local/bin/caddy',
].join('');

export const DraftAdvice = t.Object(
  {
    names: t.Array(
      t.Object({
        name: t.String(),
        port: integer(),
        authority: NullableAuthority,
        advice: NullableAdvice,
      }),
      { description: 'the names that would be served over TLS' },
    ),
    dns: t.Object({
      providers: t.Array(t.String(), {
        description: 'the DNS providers that the proxy was built with',
      }),
      command: t.Union([t.String(), t.Null()], {
        description: 'the command that gets a Caddy with a provider; null if this one has one',
      }),
    }),
  },
  { title: 'DraftAdvice' },
);

/**
 * What certificates a site would get that is only being written, as the first of the agents that it
 * would be placed on says.
 * @throws Failure INVALID_REQUEST, PROXY_REJECTED, PROXY_UNREACHABLE, AGENT_UNREACHABLE
 */
export async function adviseDraft(
  { publisher }: { publisher: Publisher },
  draft: VhostInput,
): Promise<Static<typeof DraftAdvice>> {
  const set = publisher.current();
  const { id, client } = firstOf(publisher.agents.all(), draft, set);
  const part = setFor(set, id);
  const ports = portOptions(part.preamble);
  const { sites, dnsProviders } = await client.authorities(draftCaddyfile(part, draft));
  const named = sites.filter(({ name, tls }) => tls && name !== '');
  return {
    names: named.map(({ name, ports: own, authority, dns }) => ({
      name,
      port: own[0] ?? ports.https,
      authority,
      advice: adviceOf({ name, authority, dns, certified: false, ports, refusal: null }),
    })),
    dns: {
      providers: dnsProviders,
      command: dnsProviders.length === 0 ? DNS_COMMAND : null,
    },
  };
}

/** The first that answers, if any does. @throws Failure INVALID_REQUEST for an unknown name */
function firstOf(all: readonly Agent[], { agents: names = [] }: VhostInput, set: SiteSet): Agent {
  const ids = agentsNamed(names, set);
  const placed = ids.length > 0 ? all.filter(({ id }) => ids.includes(id)) : all;
  return (placed.find(({ client }) => !client.isSilent()) ?? placed[0]) as Agent;
}
