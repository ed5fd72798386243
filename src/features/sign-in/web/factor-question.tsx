/** Asks an owner without a second factor for one, from the second day on, and once a month. */
import { useEffect, useState } from 'preact/hooks';
import type { PageNotice } from '../../../web/feature.ts';
import { useUser } from '../../../web/lib/hub.ts';
import { keep, readKept } from '../../../web/lib/use-browser.ts';
import { Notice } from '../../../web/parts/notice.tsx';

const DAY_MS = 86_400_000;
const ASKED = 'factor-asked';

export const FactorQuestion: PageNotice = () => {
  const user = useUser();
  const [isAsked, setAsked] = useState(
    () =>
      user?.role === 'owner' &&
      !user.twoFactorEnabled &&
      daysSince(user.createdAt) > 1 &&
      daysSince(readKept(ASKED) ?? '1970-01-01') > 30,
  );
  useEffect(() => {
    if (isAsked) keep(ASKED, new Date().toISOString());
  }, [isAsked]);
  if (!isAsked || user?.twoFactorEnabled) return null;
  return (
    <Notice kind="info" title="Your password is all that protects this hub.">
      Whoever has it can change every site. <a href="/account">Set up a second factor</a>, or{' '}
      <button type="button" class="link" onClick={() => setAsked(false)}>
        Not now
      </button>
    </Notice>
  );
};

const daysSince = (at: string): number => (Date.now() - Date.parse(at)) / DAY_MS;
