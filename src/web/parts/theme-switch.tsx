/** The choice of the theme. */
import { THEMES, useTheme } from '../lib/theme.ts';
import { Icon } from './icon.tsx';

const LABELS = { auto: 'As the system', light: 'Light', dark: 'Dark' } as const;

export function ThemeSwitch() {
  const [chosen, choose] = useTheme();
  return (
    <fieldset class="segments theme-switch">
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
          <span>
            <Icon name={theme} />
          </span>
        </label>
      ))}
    </fieldset>
  );
}
