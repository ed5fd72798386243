/** Decides what is shown: the sign-in form or the page at the current address. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { get, sentenceOf } from './lib/api.ts';
import { useFavicon } from './lib/favicon.ts';
import { HubContext, UserContext, useHubState } from './lib/hub.ts';
import { usePlace } from './lib/router.ts';
import type { User } from './lib/types.ts';
import { pageAt } from './pages.tsx';
import { Brand } from './parts/icon.tsx';
import { SkeletonRows } from './parts/loading.tsx';
import { Notice } from './parts/notice.tsx';
import { Shell } from './shell.tsx';
import { SignIn, takeGiven } from './sign-in/sign-in.tsx';
import { countedIn } from './status/problems.ts';

type Session = { state: 'unknown' | 'out' } | { state: 'in' | 'ended'; user: User };

export function App() {
  const [session, setSession] = useState<Session>({ state: 'unknown' });
  const [error, setError] = useState<string | null>(null);
  const [given, setGiven] = useState(takeGiven);
  useEffect(() => {
    // The link was opened in a tab that already shows the dashboard.
    const take = () => {
      const next = takeGiven();
      if (next.setup !== '' || next.invitation !== '') setGiven(next);
    };
    addEventListener('hashchange', take);
    return () => removeEventListener('hashchange', take);
  }, []);
  const place = usePlace();
  const loadSession = useCallback(async () => {
    try {
      const answer = await get<{ user: User } | null>('/auth/get-session');
      setSession(answer ? { state: 'in', user: answer.user } : { state: 'out' });
      setError(null);
    } catch (reason) {
      setError(sentenceOf(reason));
      setTimeout(loadSession, RETRY_MS);
    }
  }, []);
  useEffect(() => void loadSession(), [loadSession]);
  const onRefused = useCallback(
    (code: string) => {
      // A wrong password at sign-in also answers 401, but ends no session.
      if (code === 'UNAUTHENTICATED') {
        setSession((old) => (old.state === 'in' ? { state: 'ended', user: old.user } : old));
      }
      // Somebody has changed the account's role.
      if (code === 'FORBIDDEN_ROLE') void loadSession();
    },
    [loadSession],
  );
  const hub = useHubState(session.state === 'in', onRefused);

  const page = pageAt(place, 'user' in session ? session.user.role : 'viewer');
  const isIn = session.state === 'in';
  const problems = isIn && !hub.offline ? countedIn(hub.status?.problems ?? []).length : 0;
  useFavicon(problems > 0);
  const title = `${problems > 0 ? `(${problems}) ` : ''}${isIn ? (place.name ?? page.title) : 'Sign in'}`;
  useEffect(() => {
    document.title = `${title} · signalbox`;
  }, [title]);

  if (session.state === 'unknown') {
    if (error === null) return <LoadingPage />;
    return (
      <main class="door">
        <Notice kind="error" title={error}>
          Retrying …
        </Notice>
      </main>
    );
  }
  return (
    <>
      {!isIn && (
        <SignIn
          key={given.setup + given.invitation}
          ended={session.state === 'ended'}
          given={given}
          onSignedIn={loadSession}
        />
      )}
      {'user' in session && (
        // What the user typed is kept until they sign in again, and shown to nobody else.
        <div key={session.user.id} hidden={!isIn}>
          <UserContext.Provider value={session.user}>
            <HubContext.Provider
              value={{ ...hub, offline: hub.offline || !isIn, reloadUser: loadSession }}
            >
              <Shell
                path={place.path}
                isForm={page.isForm}
                onSignedOut={() => setSession({ state: 'out' })}
              >
                {page.view}
              </Shell>
            </HubContext.Provider>
          </UserContext.Provider>
        </div>
      )}
    </>
  );
}

const RETRY_MS = 2_000;

/** The frame of a page before anything is known. */
const LoadingPage = () => (
  <div class="shell loading-page">
    <header class="bar line">
      <span class="brand line">
        <Brand />
      </span>
    </header>
    <main>
      <SkeletonRows rows={8} label="Loading the dashboard" />
    </main>
  </div>
);
