/** Finds the worst problem of a site. Pure. */
import type { SiteState, Status, Vhost } from '../lib/types.ts';

export type SiteProblem = { level: 'bad' | 'warn'; label: string; text: string };

/** Null: none is known. The only problem a site can have while it is off is a refused config. */
export function problemOf(
  site: Vhost,
  status: Status | null,
  state: SiteState | undefined,
): SiteProblem | null {
  const broken = status?.broken.find(({ id }) => id === site.id);
  if (broken) return { level: 'bad', label: 'refused', text: broken.detail };
  if (!site.enabled || !state) return null;
  const bare = state.addresses.find(
    ({ tls, certificate, reason }) => tls && !certificate && reason,
  );
  if (bare) {
    const text = bare.advice?.message ?? state.errors.acme?.message ?? bare.reason ?? '';
    return { level: 'bad', label: 'no certificate', text: `${bare.name}: ${text}` };
  }
  const expired = state.addresses.find(({ certificate }) => (certificate?.daysLeft ?? 0) < 0);
  if (expired)
    return {
      level: 'bad',
      label: 'expired',
      text: `The certificate of ${expired.name} has expired.`,
    };
  const down = state.upstreams.filter(({ up }) => up === false);
  if (down.length > 0) {
    const all = down.length === state.upstreams.length;
    return {
      level: all ? 'bad' : 'warn',
      label: all ? 'down' : 'partly down',
      text: down.map(({ address, error }) => `${address} ${error?.message ?? ''}`).join('\n'),
    };
  }
  const ending = status?.certificates.find(({ id, overdue }) => id === site.id && overdue);
  if (!ending) return null;
  return {
    level: 'warn',
    label: `${ending.daysLeft} days left`,
    text: `The certificate of ${ending.name} was not renewed.`,
  };
}
