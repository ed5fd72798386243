/** The theme: the system's, light or dark. The style sheet reads it from the root's `data-theme`. */
import { useEffect, useState } from 'preact/hooks';
import { keep, readKept } from './use-browser.ts';

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const CHANGED = 'signalbox:theme';
const dark = matchMedia('(prefers-color-scheme: dark)');
let chosen = readTheme();

function readTheme(): Theme {
  const kept = readKept('theme');
  return THEMES.find((theme) => theme === kept) ?? 'auto';
}

function apply(): void {
  const shown = chosen === 'auto' ? (dark.matches ? 'dark' : 'light') : chosen;
  document.documentElement.dataset.theme = shown;
  // The colour of the browser's own bars on phones.
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')) {
    meta.media = meta.dataset.of === shown ? 'all' : 'not all';
  }
  dispatchEvent(new Event(CHANGED));
}

/** Shows the kept theme from now on, and follows the system and other tabs. */
export function startTheme(): void {
  dark.addEventListener('change', apply);
  addEventListener('storage', () => {
    chosen = readTheme();
    apply();
  });
  apply();
}

function chooseTheme(theme: Theme): void {
  chosen = theme;
  keep('theme', theme);
  apply();
}

/** The user's choice, and a function that changes it. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(chosen);
  useEffect(() => {
    const update = () => setTheme(chosen);
    update();
    addEventListener(CHANGED, update);
    return () => removeEventListener(CHANGED, update);
  }, []);
  return [theme, chooseTheme];
}
