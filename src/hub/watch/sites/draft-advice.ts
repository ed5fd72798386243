/** What certificates a site would get that is only being written. */
import { type Static, t } from 'elysia';
import { portOptions } from '../../../shared/caddyfile/preamble.ts';
import { NullableAuthority } from '../../../shared/wire-state.ts';
import type { Agent } from '../../agents/agents.ts';
import { agentsNamed, setFor } from '../../model/placement.ts';
import type { SiteSet, VhostInput } from '../../model/vhost.ts';
import { draftCaddyfile } from '../../publish/preview.ts';
import type { Publisher } from '../../publish/publisher.ts';
import { adviceOf, NullableAdvice } from './advice.ts';

/** Downloads the newest Caddy with a DNS provider, from where Caddy's own download page does. */
export const DNS_COMMAND = [
  'sudo curl -fLo /usr/local/bin/caddy "https://caddyserver.com/api/download?os=linux',
  "&arch=$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')&p=github.com/caddy-dns/cloudflare\"",
  ' && sudo chmod 755 /usr/local/bin/caddy',
].join('');

export const DraftAdvice = t.Object(
  {
    names: t.Array(
      t.Object({
        name: t.String(),
        port: t.Integer(),
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
 * As the first of the agents that it would be placed on says.
 * @throws Failure INVALID_REQUEST, PROXY_REJECTED, PROXY_UNREACHABLE, AGENT_UNREACHABLE
 */
export async function adviseDraft(
  { publisher }: { publisher: Publisher },
  draft: VhostInput,
): Promise<Static<typeof DraftAdvice>> {
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
