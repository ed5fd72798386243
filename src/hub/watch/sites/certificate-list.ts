/** All certificates, and the names that have none, of one agent or of all; and those of a draft. */
import { portOptions } from '../../../shared/caddyfile/preamble.ts';
import type { Authority } from '../../../shared/wire-state.ts';
import { type Agent, askAll, chosen } from '../../agents/agents.ts';
import type { Endpoint } from '../../model/endpoints.ts';
import { agentsNamed, setFor } from '../../model/placement.ts';
import type { SiteSet, VhostInput } from '../../model/vhost.ts';
import { draftCaddyfile } from '../../publish/preview.ts';
import type { Publisher } from '../../publish/publisher.ts';
import { type Advice, adviceOf, type MirrorFacts, mirrorAdvice } from './advice.ts';
import { daysLeft, isOverdue, isSoon, type KnownName, readNames } from './certificates.ts';

/** A name that is served over TLS, with its certificate if there is one. Times are ISO 8601. */
export type CertificateEntry = Endpoint & {
  /** Of the vhost, like the next. */
  id: number;
  domain: string;
  issuer: string | null;
  notBefore: string | null;
  notAfter: string | null;
  daysLeft: number | null;
  automated: boolean;
  authority: Authority | null;
  checkedAt: string | null;
  /** What needs attention, for people. */
  problem: string | null;
  advice: Advice | null;
  /** Only if the hub has several. */
  agent?: string;
  /** Why the last attempt to get one failed. */
  error: KnownName['site']['error'];
};

export type CertificateListDeps = { publisher: Publisher; now: () => Date };

/** `missing` are the agents that could not be asked. */
type CertificateList = { entries: CertificateEntry[]; missing: readonly string[] };

/**
 * By vhost, in rendering order; of several agents by agent before.
 * @param name of the only one to ask @throws Failure NOT_FOUND, and as `readNames`
 */
export async function listCertificates(
  { publisher, now }: CertificateListDeps,
  name?: string,
): Promise<CertificateList> {
  async function read(agent: Agent): Promise<CertificateEntry[]> {
    const names = await readNames({ agent, publisher });
    const ports = portOptions(setFor(publisher.current(), agent.id).preamble);
    const time = now().getTime();
    return names
      .filter(({ endpoint }) => endpoint.name !== '')
      .map((known) => entryOf(known, ports, time));
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
  ports: ReturnType<typeof portOptions>,
  time: number,
): CertificateEntry {
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
    authority,
    checkedAt,
    problem: problemOf(site, advice, time),
    advice,
    error,
  };
}

function problemOf(
  { certificate, checkedAt, reason, automated }: KnownName['site'],
  advice: Advice | null,
  time: number,
): string | null {
  // Without a handshake there is nothing wrong yet: it may be due, or issued on demand.
  if (!certificate) return advice?.message ?? (checkedAt && reason);
  const [notBefore, notAfter] = [new Date(certificate.notBefore), new Date(certificate.notAfter)];
  if (notAfter.getTime() < time) return 'It has expired.';
  if (advice) return advice.message;
  if (!isSoon(notAfter, time) || !isOverdue({ automated, notBefore, notAfter }, time)) return null;
  return automated ? 'Caddy should have renewed it by now.' : 'It is not renewed automatically.';
}

/** Downloads the newest Caddy with a DNS provider, from where Caddy's own download page does. */
export const DNS_COMMAND = [
  'sudo curl -fLo /usr/local/bin/caddy "https://caddyserver.com/api/download?os=linux',
  "&arch=$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')&p=github.com/caddy-dns/cloudflare\"",
  ' && sudo chmod 755 /usr/local/bin/caddy',
].join('');

export type DraftAdvice = {
  /** Those that would be served over TLS. */
  names: (Endpoint & { authority: Authority | null; advice: Advice | null })[];
  /** The providers that the proxy was built with; if there are none, how to get one. */
  dns: { providers: string[]; command: string | null };
};

/**
 * What certificates a site would get that is only being written, as the first of the agents that it
 * would be placed on says.
 * @throws Failure INVALID_REQUEST, PROXY_REJECTED, PROXY_UNREACHABLE, AGENT_UNREACHABLE
 */
export async function adviseDraft(
  { publisher }: { publisher: Publisher },
  draft: VhostInput,
): Promise<DraftAdvice> {
  const set = publisher.current();
  const { id, client } = firstOf(publisher.agents.all(), draft, set);
  const { preamble } = setFor(set, id);
  const ports = portOptions(preamble);
  const { sites, dnsProviders } = await client.authorities(draftCaddyfile(preamble, draft));
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
