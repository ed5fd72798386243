/** Client-side routing: follows links and the history without reloading the page, with a message for the next one. */
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';

export type Place = {
  path: string;
  query: URLSearchParams;
  /** The name of what is there, once the page has said so. */
  name?: string | undefined;
};

let named = { path: '', name: '' };

const here = (): Place => ({
  path: location.pathname,
  query: new URLSearchParams(location.search),
  name: named.path === location.pathname ? named.name : undefined,
});

const CHANGED = 'signalbox:place';
const ASKED = 'signalbox:leave';

/** Someone wants to leave a page with unsaved work. */
type Leaving = { question: string; leave: () => void; stay: () => void };
let guard: string | null = null;
let leaving: Leaving | null = null;

/** Leaves at once, or after the user has agreed to. */
function leaveBy(go: () => void): void {
  if (guard === null) {
    go();
    return;
  }
  const close = () => {
    leaving = null;
    dispatchEvent(new Event(ASKED));
  };
  const leave = () => {
    guard = null;
    close();
    go();
  };
  leaving = { question: guard, leave, stay: close };
  dispatchEvent(new Event(ASKED));
}

/** What has to be asked now; for the one component that asks it. */
export function useLeaving(): Leaving | null {
  const [asked, setAsked] = useState(leaving);
  useEffect(() => {
    const update = () => setAsked(leaving);
    addEventListener(ASKED, update);
    return () => removeEventListener(ASKED, update);
  }, []);
  return asked;
}

/** The position in the history, kept in each of its entries: tells how far back the shown page is. */
const stepHere = (): number => (history.state as { step?: number } | null)?.step ?? 0;
let shown = { path: '', step: 0 };

/** Goes to an address of the dashboard; `replace` adds no entry to the history. */
export function navigate(to: string, { replace = false } = {}): void {
  const target = new URL(to, location.href);
  // `//host` would lead to another site.
  if (target.origin !== location.origin) return;
  const isOther = target.pathname !== location.pathname;
  const go = () => {
    if (isOther) scrollTo(0, 0);
    const step = stepHere();
    if (replace) history.replaceState({ step }, '', target);
    else history.pushState({ step: step + 1 }, '', target);
    dispatchEvent(new Event(CHANGED));
  };
  if (isOther) leaveBy(go);
  else go();
}

/** Asks before a link, a step in the history or closing the page discards unsaved work. */
export function useLeaveGuard(dirty: boolean, question: string): void {
  // At once: an answer from the hub that leads to another page may come before the next frame.
  useLayoutEffect(() => {
    if (!dirty) return;
    guard = question;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => {
      guard = null;
      removeEventListener('beforeunload', warn);
    };
  }, [dirty, question]);
}

/** The current place; renders again when it changes. For one component only: it handles all links. */
export function usePlace(): Place {
  const [place, setPlace] = useState(here);
  useEffect(() => {
    const show = () => {
      shown = { path: location.pathname, step: stepHere() };
      setPlace(here());
    };
    const travel = () => {
      const back = shown.step - stepHere();
      if (guard === null || back === 0 || shown.path === location.pathname) {
        show();
        return;
      }
      // The browser has already moved, so it goes back to the shown page, where the question is asked.
      history.go(back);
      leaveBy(() => history.go(-back));
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

/** Follows links to our own pages; leaves links with a modifier key, target or download to the browser. */
function followInside(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link || event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (link.target || link.hasAttribute('download') || link.origin !== location.origin) return;
  if (link.pathname.startsWith('/api')) return;
  event.preventDefault();
  if (link.hash && link.pathname === location.pathname) {
    const place = document.getElementById(link.hash.slice(1));
    const details = place?.closest('details');
    if (details) details.open = true;
    place?.focus();
    return;
  }
  navigate(link.href);
}

/** Names what this page is about in the title of the tab, once that is known. */
export function useTitle(name: string | undefined): void {
  useEffect(() => {
    if (name === undefined) return;
    named = { path: location.pathname, name };
    dispatchEvent(new Event(CHANGED));
  }, [name]);
}

/** A message to show on the next page. */
export type Flash = {
  kind: 'success' | 'warning';
  text: string;
  /** What the list of sites offers to undo: a group of the changelog. */
  done?: { words: string; group: number | null };
};

let message: Flash | null = null;

/** Replaces a message that has not been shown. */
export function setFlash(flash: Flash): void {
  message = flash;
}

/** Returns the message the first time, and null after that. */
export function takeFlash(): Flash | null {
  const flash = message;
  message = null;
  return flash;
}
