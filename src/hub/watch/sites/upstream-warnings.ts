/** Warnings of upstreams that are down. Pure. */
import type { SiteUpstream } from '../../../shared/wire-state.ts';
import type { Warning } from '../../http/schemas.ts';

/** What Caddy writes before the reason: `dial tcp 127.0.0.1:8000: connect: connection refused`. */
const DIALLED = /^dial \w+ \S+: (?:connect: )?/;

/** One for each upstream that is down. */
export const upstreamWarnings = (upstreams: readonly SiteUpstream[]): Warning[] =>
  upstreams
    .filter(({ up }) => up === false)
    .map(({ address, error }) => {
      const reason = error?.message.replace(DIALLED, '');
      const message = `${address} does not answer${reason ? `: ${reason}` : ''}`;
      return { code: 'UPSTREAM_DOWN', message };
    });
