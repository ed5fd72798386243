/** The frame around every page: bar, tabs, notices, and what can open above them all. */
import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary, useRef, useState } from 'preact/hooks';
import { Bar } from './bar.tsx';
import { PAGE_NOTICES } from './features.ts';
import { onProofNeeded, request, sentenceOf } from './lib/api.ts';
import { useLeaving } from './lib/router.ts';
import { sectionOf, useTabs } from './lib/sections.ts';
import { useControlKey, useKey } from './lib/use-browser.ts';
import { Dialog } from './parts/dialog.tsx';
import { lazy } from './parts/loading.tsx';
import { Notice } from './parts/notice.tsx';
import { Tabs } from './parts/tabs.tsx';
import { BehindNotice, OfflineNotice } from './status/change-notices.tsx';

type Props = {
  path: string;
  /** Whether the page is as narrow as a form. */
  isForm: boolean;
  onSignedOut: () => void;
  children: ComponentChildren;
};

// Loaded when somebody opens them; nothing stands there until then.
const overPages = () => import('./parts/over-pages.ts');
const Palette = lazy(async () => (await overPages()).Palette, null);
const KeysHelp = lazy(async () => (await overPages()).KeysHelp, null);

export function Shell({ path, isForm, onSignedOut, children }: Props) {
  const [over, setOver] = useState<'palette' | 'keys' | null>(null);
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  useControlKey('k', () => setOver('palette'));
  useKey('?', () => setOver('keys'));

  // Moving the focus to its start lets screen readers notice a new page, unless it has chosen a field.
  useEffect(() => {
    if (!first.current && !main.current?.contains(document.activeElement)) main.current?.focus();
    first.current = false;
  }, [path]);

  const signOut = async () => {
    await request('/auth/sign-out', { method: 'POST' }).catch(() => {});
    onSignedOut();
  };

  const section = sectionOf(path);
  const tabsOf = useTabs(path);
  const tabs = section ? tabsOf(section) : [];
  return (
    <div class="shell">
      <a class="button skip-link" href="#main">
        Skip to content
      </a>
      <Bar
        path={path}
        onSearch={() => setOver('palette')}
        onKeys={() => setOver('keys')}
        onSignOut={signOut}
      />
      <LeaveDialog />
      {over === 'palette' && (
        <Palette onClose={() => setOver(null)} onKeys={() => setOver('keys')} onSignOut={signOut} />
      )}
      {over === 'keys' && <KeysHelp onClose={() => setOver(null)} />}
      <OfflineNotice />
      <main id="main" class={isForm ? 'form-page' : undefined} ref={main} tabIndex={-1}>
        {section && tabs.length > 1 && <Tabs label={section.title} tabs={tabs} />}
        <BehindNotice />
        {PAGE_NOTICES.map((Own) => (
          <Own key={Own.name} />
        ))}
        <Guarded path={path}>{children}</Guarded>
        <Prover />
      </main>
    </div>
  );
}

/** Reports a page that crashes; the bar stays usable. */
function Guarded({ path, children }: Pick<Props, 'path' | 'children'>) {
  const [error, reset] = useErrorBoundary();
  useEffect(reset, [path]);
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
