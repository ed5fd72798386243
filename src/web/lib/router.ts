/** Addresses: which page is shown, and going to another without loading anew. */
import { useEffect, useState } from 'preact/hooks';

export type Place = { path: string; query: URLSearchParams };

const here = (): Place => ({
  path: location.pathname,
  query: new URLSearchParams(location.search),
});

const CHANGED = 'signalbox:place';
let guard: (() => boolean) | null = null;

/** Steps into the history, as each entry has it: tells how far back the shown page lies. */
const stepHere = (): number => (history.state as { step?: number } | null)?.step ?? 0;
let shown = { path: '', step: 0 };

/** Goes to an address of the dashboard; `replace` leaves no step to go back to. */
export function navigate(to: string, { replace = false } = {}): void {
  const target = new URL(to, location.href);
  // `//host` would be another's.
  if (target.origin !== location.origin) return;
  if (target.pathname !== location.pathname && guard && !guard()) return;
  if (target.pathname !== location.pathname) scrollTo(0, 0);
  const step = stepHere();
  if (replace) history.replaceState({ step }, '', to);
  else history.pushState({ step: step + 1 }, '', to);
  dispatchEvent(new Event(CHANGED));
}

/** Asks before unsaved work is left by a link, by a step in the history or with the page. */
export function useLeaveGuard(dirty: boolean, question: string): void {
  useEffect(() => {
    if (!dirty) return;
    guard = () => confirm(question);
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => {
      guard = null;
      removeEventListener('beforeunload', warn);
    };
  }, [dirty, question]);
}

/** Where the browser is; rendered anew when that changes. For one component, which hears the links. */
export function usePlace(): Place {
  const [place, setPlace] = useState(here);
  useEffect(() => {
    const show = () => {
      shown = { path: location.pathname, step: stepHere() };
      setPlace(here());
    };
    const travel = () => {
      // The browser has gone already: who stays is brought back to where they were.
      const back = shown.step - stepHere();
      if (guard && back !== 0 && shown.path !== location.pathname && !guard()) {
        history.go(back);
        return;
      }
      show();
    };
    show();
    addEventListener('popstate', travel);
    addEventListener(CHANGED, show);
    document.addEventListener('click', followInside);
    return () => {
      removeEventListener('popstate', travel);
      removeEventListener(CHANGED, show);
      document.removeEventListener('click', followInside);
    };
  }, []);
  return place;
}

/** Links to our own pages need no new load; those with a modifier, target or download are the browser's. */
function followInside(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link || event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (link.target || link.hasAttribute('download') || link.origin !== location.origin) return;
  if (link.pathname.startsWith('/api')) return;
  event.preventDefault();
  if (link.hash && link.pathname === location.pathname) {
    document.getElementById(link.hash.slice(1))?.focus();
    return;
  }
  navigate(link.href);
}
