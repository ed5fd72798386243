/** The inputs for a site's domain and upstream, with errors beside them. */
import { Field } from '../parts/field.tsx';
import type { Draft } from './draft.ts';

type Props = {
  draft: Draft;
  /** The error to show beside a field. */
  errorAt: (name: 'domain' | 'upstream') => string | null;
  onChange: (change: Partial<Draft>) => void;
};

export function AddressFields({ draft, errorAt, onChange }: Props) {
  return (
    <div class="site-pair">
      <Field
        label="Domain"
        error={errorAt('domain')}
        help="app.example.org, *.example.org or http://app.localhost"
      >
        {(attributes) => (
          <input
            {...attributes}
            class="mono"
            required
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            value={draft.domain}
            onInput={(event) => onChange({ domain: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field
        label="Upstream"
        error={errorAt('upstream')}
        help="Replaces {upstream} in the config: 127.0.0.1:8000"
      >
        {(attributes) => (
          <input
            {...attributes}
            class="mono"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            value={draft.upstream}
            onInput={(event) => onChange({ upstream: event.currentTarget.value })}
          />
        )}
      </Field>
    </div>
  );
}
