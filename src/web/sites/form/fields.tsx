/** The fields of a site with one control each: its config, its tags, and where it is served. */
import { useState } from 'preact/hooks';
import { tagsIn } from '../../lib/tags.ts';
import { CodeEditor } from '../../parts/code-editor.tsx';
import { Field, TextField } from '../../parts/field.tsx';
import { Tick } from '../../parts/tick.tsx';

type ConfigFieldProps = {
  config: string;
  /** The line at fault, from 1; null if there is none. */
  badLine: number | null;
  onChange: (change: { config: string }) => void;
};

/** The editor of the config, or of the body of the block that it is. */
export const ConfigField = ({ config, badLine, onChange }: ConfigFieldProps) => (
  <Field
    label="Config"
    help="Caddyfile directives for this site. Tab indents; press Escape, then Tab to leave the editor."
  >
    {(attributes) => (
      <CodeEditor
        value={config}
        onInput={(next) => onChange({ config: next })}
        badLine={badLine}
        rows={6}
        attributes={attributes}
      />
    )}
  </Field>
);

type TagsFieldProps = {
  tags: readonly string[];
  error: string | null;
  onChange: (tags: string[]) => void;
};

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
  /** The names of all; there are several. */
  proxies: readonly string[];
  /** The names of the site's own; empty: all, and those that are added later. */
  chosen: readonly string[];
  error: string | null;
  onChange: (chosen: string[]) => void;
};

/** Boxes for where a site is served: on all proxies, or on some. */
export function PlacementField({ proxies, chosen, error, onChange }: PlacementFieldProps) {
  const isEverywhere = chosen.length === 0;
  const tick = (name: string, isOn: boolean) =>
    onChange(proxies.filter((one) => (one === name ? isOn : chosen.includes(one))));
  return (
    <fieldset class="choices" aria-invalid={error ? true : undefined}>
      <legend>Where it is served</legend>
      {error && <p class="field-error">{error}</p>}
      <Tick
        class="strong"
        checked={isEverywhere}
        onTick={() => onChange(isEverywhere ? [...proxies] : [])}
      >
        <span>
          Everywhere <small class="muted">also on proxies that are added later</small>
        </span>
      </Tick>
      <div class="row">
        {proxies.map((name) => (
          <Tick key={name} checked={chosen.includes(name)} onTick={(isOn) => tick(name, isOn)}>
            {name}
          </Tick>
        ))}
      </div>
    </fieldset>
  );
}
