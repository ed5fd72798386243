/** The green bar across the top: the entries of the menu, the search, the problems, and what is about the user. */
import { useEffect, useId, useRef } from 'preact/hooks';
import { SECTIONS } from '../shared/pages.ts';
import { Bell } from './incidents/bell.tsx';
import { useUser } from './lib/hub.ts';
import { sectionOf, useTabs } from './lib/sections.ts';
import { THEMES, useTheme } from './lib/theme.ts';
import { SEARCH_KEY, useMedia } from './lib/use-browser.ts';
import { Brand, Icon } from './parts/icon.tsx';

type Props = {
  path: string;
  onSearch: () => void;
  onKeys: () => void;
  onSignOut: () => void;
};

/** Of the style sheet: there is room for the entries of the menu. */
const WIDE = '(min-width: 901px)';

export function Bar({ path, onSearch, onKeys, onSignOut }: Props) {
  const isWide = useMedia(WIDE);
  const user = useUser();
  const sheet = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => sheet.current?.hidePopover(), [path]);
  const leaving = (act: () => void) => () => {
    sheet.current?.hidePopover();
    act();
  };
  return (
    <header class="bar line">
      <a class="brand line" href="/">
        <Brand />
      </a>
      {isWide && <Menu path={path} />}
      <button
        type="button"
        class="search line end"
        aria-keyshortcuts="Control+K"
        onClick={onSearch}
      >
        <Icon name="search" />
        <span>Search …</span>
        {isWide && <kbd>{SEARCH_KEY}</kbd>}
      </button>
      <Bell path={path} />
      <button type="button" class="quiet" popovertarget={id} aria-label="Your menu">
        <Icon name={isWide ? 'account' : 'menu'} />
      </button>
      <div id={id} ref={sheet} class="sheet" popover="auto" role="dialog" aria-label="Your menu">
        {!isWide && <Menu path={path} />}
        <p class="line between">
          <a class="name cut" href="/account">
            {user?.name}
          </a>
          <small class="muted">{user?.role}</small>
        </p>
        <ThemeSwitch />
        <button type="button" class="quiet" onClick={leaving(onKeys)}>
          Keyboard shortcuts
        </button>
        <button type="button" class="quiet" onClick={leaving(onSignOut)}>
          Sign out
        </button>
      </div>
    </header>
  );
}

/** What the user’s role may see of the seven entries. */
function Menu({ path }: { path: string }) {
  const current = sectionOf(path);
  const tabsOf = useTabs(path);
  return (
    <nav aria-label="Pages">
      <ul class="plain">
        {SECTIONS.map((section) => {
          const [first] = tabsOf(section);
          if (!first) return null;
          return (
            <li key={section.title}>
              <a href={first.to} aria-current={current === section ? 'true' : undefined}>
                {section.title}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

const LABELS = { auto: 'As the system', light: 'Light', dark: 'Dark' } as const;

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
