/** `signalbox agent --invite`: prints the line by which a hub learns of this agent. */
import { X509Certificate } from 'node:crypto';
import { normalFingerprint } from '../../hub/agents/trust.ts';
import { formatInvitation } from '../../shared/invitation.ts';
import { isLoopback } from '../../shared/loopback.ts';
import { inUrl } from '../addresses.ts';
import type { AgentSettings } from '../agent-settings.ts';
import type { RunningAgent } from '../serve/agent.ts';
import type { Cli, Given } from './command.ts';

/** The URL that was given is null unless the hub is to dial another than the one it listens on. */
export type Invite = { url: string | null };

/**
 * What `--invite` and its URL ask for; null without the option.
 * @throws Error if the URL is not an https:// address alone, or given without the option
 */
export function inviteIn(given: Given, url: string | undefined): Invite | null {
  if (!given.has('invite')) {
    if (url !== undefined) throw new Error('a URL is only for --invite');
    return null;
  }
  if (url === undefined) return { url: null };
  const parsed = URL.parse(url);
  if (parsed?.protocol !== 'https:' || `${parsed.origin}/` !== parsed.href) {
    throw new Error('--invite takes an address such as https://vps.example:3002, without a path');
  }
  return { url: parsed.origin };
}

/**
 * Prints the invitation of an agent that listens.
 * @param addresses those of this machine in its network, private ones first
 */
export function printInvitation(
  { url }: Invite,
  { url: listens, secret }: RunningAgent,
  tls: AgentSettings['tls'],
  addresses: readonly string[],
  { out, err }: Pick<Cli, 'out' | 'err'>,
): void {
  if (secret === null || tls === null) return;
  const dialled = url ?? reachable(listens, addresses);
  if (url === null && isLoopback(hostOf(dialled))) {
    err(
      `Only a hub on this machine can use the invitation: set AGENT_HOST, or give an address after --invite.\n`,
    );
  }
  const fingerprint = normalFingerprint(new X509Certificate(tls.cert).fingerprint256) ?? '';
  out(`invitation: ${formatInvitation({ url: dialled, fingerprint, secret })}\n`);
}

const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '');

/** In place of all addresses, the one that other machines can use, private ones first. */
function reachable(listens: string, addresses: readonly string[]): string {
  const host = hostOf(listens);
  if (host !== '0.0.0.0' && host !== '::') return listens;
  return `https://${inUrl(addresses[0] ?? '127.0.0.1')}:${new URL(listens).port}`;
}
