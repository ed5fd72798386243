/** The frame around every page: brand, menu and status bar. */
import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary, useRef, useState } from 'preact/hooks';
import { PAGES } from '../shared/pages.ts';
import { PAGE_NOTICES } from './features.ts';
import { Bell } from './incidents/bell.tsx';
import { onProofNeeded, request, sentenceOf } from './lib/api.ts';
import { useUser } from './lib/hub.ts';
import { isAllowed } from './lib/roles.ts';
import { useLeaving } from './lib/router.ts';
import { THEMES, useTheme } from './lib/theme.ts';
import { Dialog } from './parts/dialog.tsx';
import { Brand, Icon } from './parts/icon.tsx';
import { KeysHelp } from './parts/keys-help.tsx';
import { lazy } from './parts/loading.tsx';
import { Notice } from './parts/notice.tsx';
import { BehindNotice, ProblemCount, StatusBar } from './status/status-bar.tsx';

type Props = { path: string; onSignedOut: () => void; children: ComponentChildren };

const isIn = (path: string, entry: string) =>
  path === entry || (entry !== '/' && path.startsWith(`${entry}/`));

export function Shell({ path, onSignedOut, children }: Props) {
  const user = useUser();
  const [open, setOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);

  // Moving the focus to its start lets screen readers notice a new page, unless it has chosen a field.
  useEffect(() => {
    setOpen(false);
    if (!first.current && !main.current?.contains(document.activeElement)) main.current?.focus();
    first.current = false;
  }, [path]);

  const signOut = async () => {
    await request('/auth/sign-out', { method: 'POST' }).catch(() => {});
    onSignedOut();
  };

  return (
    <div class="shell">
      <a class="button skip-link" href="#main">
        Skip to content
      </a>
      <header class="side">
        <a class="brand line" href="/">
          <Brand />
        </a>
        <button
          type="button"
          class="menu-button"
          aria-expanded={open}
          aria-controls="menu"
          onClick={() => setOpen(!open)}
        >
          Menu
        </button>
        <nav id="menu" class={open ? 'menu open' : 'menu'} aria-label="Pages">
          <ul class="plain">
            {PAGES.map(
              ([to, { title, icon, needs = 'viewer' }]) =>
                icon &&
                user &&
                isAllowed(user.role, needs) && (
                  <li key={to}>
                    <a href={to} aria-current={isIn(path, to) ? 'page' : undefined}>
                      <Icon name={icon} />
                      {title}
                      {to === '/' && <ProblemCount />}
                    </a>
                  </li>
                ),
            )}
          </ul>
          <div class="settings line between">
            <ThemeSwitch />
            <KeysHelp />
          </div>
          <div class="who line between">
            <span class="cut muted">{user?.name}</span>
            <button type="button" class="quiet" onClick={signOut}>
              Sign out
            </button>
          </div>
        </nav>
      </header>
      <LeaveDialog />
      <StatusBar />
      <Bell path={path} />
      <main id="main" ref={main} tabIndex={-1}>
        <BehindNotice />
        {PAGE_NOTICES.map((Own) => (
          <Own key={Own.name} />
        ))}
        <Guarded key={path}>{children}</Guarded>
        <Prover />
      </main>
    </div>
  );
}

/** Reports a page that crashes; menu and status bar stay usable. */
function Guarded({ children }: { children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary();
  if (error === undefined) return <>{children}</>;
  return (
    <Notice kind="error" title="This page crashed" detail={sentenceOf(error)}>
      <p>
        <button type="button" class="link" onClick={reset}>
          Reload the page
        </button>
      </p>
    </Notice>
  );
}

const ProveDialog = lazy(async () => (await import('./seldom.ts')).ProveDialog);

/** Asks users to prove who they are when the hub wants that; requests of the meantime share the answer. */
function Prover() {
  const asked = useRef<PromiseWithResolvers<boolean>>(undefined);
  const [isOpen, setOpen] = useState(false);
  const settle = (isProved: boolean) => {
    asked.current?.resolve(isProved);
    asked.current = undefined;
    setOpen(false);
  };
  useEffect(() => {
    const forget = onProofNeeded(() => {
      asked.current ??= Promise.withResolvers<boolean>();
      setOpen(true);
      return asked.current.promise;
    });
    return () => {
      forget();
      settle(false);
    };
  }, []);
  return isOpen ? <ProveDialog onDone={settle} /> : null;
}

/** Asks before unsaved work is lost. */
function LeaveDialog() {
  const leaving = useLeaving();
  if (!leaving) return null;
  return (
    <Dialog title="Leave without saving?" onClose={leaving.stay}>
      <p>{leaving.question}</p>
      <div class="actions">
        <button type="button" onClick={leaving.stay}>
          Stay
        </button>
        <button type="button" class="danger" onClick={leaving.leave}>
          Leave
        </button>
      </div>
    </Dialog>
  );
}

const LABELS = { auto: 'As the system', light: 'Light', dark: 'Dark' } as const;

/** The choice of the theme. */
function ThemeSwitch() {
  const [chosen, choose] = useTheme();
  return (
    <fieldset class="segments">
      <legend class="visually-hidden">Theme</legend>
      {THEMES.map((theme) => (
        <label key={theme} title={LABELS[theme]}>
          <input
            type="radio"
            name="theme"
            aria-label={LABELS[theme]}
            checked={chosen === theme}
            onChange={() => choose(theme)}
          />
          <Icon name={theme} />
        </label>
      ))}
    </fieldset>
  );
}
