/** How a kept certificate is, in a few words. Pure. */
import type { State } from '../../../web/certificates/rows.ts';
import { plural } from '../../../web/lib/format.ts';
import type { KeptCertificateView } from '../view.ts';

const DAY_MS = 86_400_000;

/** How a certificate of the hub is: one that is uploaded is due two weeks before its end. */
export function keptState({ source, notBefore, notAfter }: KeptCertificateView, now: Date): State {
  const left = Date.parse(notAfter) - now.getTime();
  if (left < 0) return { level: 'bad', label: 'expired' };
  const days = Math.floor(left / DAY_MS);
  const isLate =
    left < 14 * DAY_MS &&
    (source === 'upload' || 6 * left < Date.parse(notAfter) - Date.parse(notBefore));
  return {
    level: isLate ? 'warn' : 'plain',
    label: `valid for ${days === 0 ? 'less than a day' : plural(days, 'day')}`,
  };
}
