/** The fields of a site: its addresses, its tags, and where it is served. */
import { useState } from 'preact/hooks';
import { useProxyNames } from '../../lib/hub.ts';
import { TextField } from '../../parts/field.tsx';
import type { Draft } from './draft.ts';

type Props = {
  draft: Draft;
  /** The error to show beside a field. */
  errorAt: (name: 'domain' | 'upstream') => string | null;
  onChange: (change: Partial<Draft>) => void;
};

export function AddressFields({ draft, errorAt, onChange }: Props) {
  const input = (name: 'domain' | 'upstream') => ({
    type: 'text' as const,
    class: 'mono',
    autocomplete: 'off',
    autocapitalize: 'off' as const,
    spellcheck: false,
    value: draft[name],
    onInput: (event: { currentTarget: HTMLInputElement }) =>
      onChange({ [name]: event.currentTarget.value }),
  });
  return (
    <div class="site-pair">
      <TextField
        label="Domain"
        error={errorAt('domain')}
        help="app.example.org, *.example.org or http://app.localhost"
        {...input('domain')}
        required
      />
      <TextField
        label="Forward to"
        error={errorAt('upstream')}
        help={
          draft.config.includes('{upstream}')
            ? 'Host and port of the service, such as 127.0.0.1:8000'
            : 'Not used: the config does not contain {upstream}'
        }
        {...input('upstream')}
      />
    </div>
  );
}

type TagsFieldProps = {
  tags: readonly string[];
  error: string | null;
  onChange: (tags: string[]) => void;
};

const tagsIn = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
];

/** The tags of a site, separated by commas. */
export function TagsField({ tags, error, onChange }: TagsFieldProps) {
  const [typed, setTyped] = useState(tags.join(', '));
  // What is typed has commas and spaces that the tags do not have.
  const isSame = tagsIn(typed).join() === tags.join();
  return (
    <TextField
      label="Tags"
      type="text"
      error={error}
      help="Words to find and group sites by, separated by commas"
      autocomplete="off"
      value={isSame ? typed : tags.join(', ')}
      onInput={({ currentTarget: { value } }) => {
        setTyped(value);
        onChange(tagsIn(value));
      }}
    />
  );
}

type PlacementFieldProps = {
  /** The names of the site's own; empty: all, and those that are added later. */
  chosen: readonly string[];
  error: string | null;
  onChange: (chosen: string[]) => void;
};

/** Boxes for where a site is served, if there are several proxies: on all of them, or on some. */
export function PlacementField({ chosen, error, onChange }: PlacementFieldProps) {
  const proxies = useProxyNames();
  if (proxies.length === 0) return null;
  const isEverywhere = chosen.length === 0;
  const tick = (name: string, isOn: boolean) =>
    onChange(proxies.filter((one) => (one === name ? isOn : chosen.includes(one))));
  return (
    <fieldset class="choices" aria-invalid={error ? true : undefined}>
      <legend>Where it is served</legend>
      {error && <p class="field-error">{error}</p>}
      <label class="check">
        <input
          type="checkbox"
          checked={isEverywhere}
          onChange={() => onChange(isEverywhere ? [...proxies] : [])}
        />
        <span>
          Everywhere <small class="muted">also on proxies that are added later</small>
        </span>
      </label>
      <div class="flow">
        {proxies.map((name) => (
          <label key={name} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={(event) => tick(name, event.currentTarget.checked)}
            />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
