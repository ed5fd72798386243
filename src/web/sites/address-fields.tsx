/** A site's domain and upstream, with what was refused beside them. */
import { ApiError, wordsOf } from '../lib/api.ts';
import { Field } from '../parts/field.tsx';
import type { Draft } from './draft.ts';

/** Beside which field a refusal stands; null: above the buttons. */
export function fieldOf(error: unknown): 'domain' | 'upstream' | null {
  if (!(error instanceof ApiError)) return null;
  if (error.code === 'DOMAIN_TAKEN') return 'domain';
  if (error.code !== 'INVALID_REQUEST') return null;
  if (/upstream/i.test(error.message)) return 'upstream';
  return /domain|address/i.test(error.message) ? 'domain' : null;
}

type Props = { draft: Draft; error: unknown; onChange: (change: Partial<Draft>) => void };

export function AddressFields({ draft, error, onChange }: Props) {
  const at = fieldOf(error);
  return (
    <div class="site-pair">
      <Field
        label="Domain"
        error={at === 'domain' ? wordsOf(error) : null}
        help="app.example.org, *.example.org, or http://app.localhost"
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
        error={at === 'upstream' ? wordsOf(error) : null}
        help="What {upstream} in the config stands for: 127.0.0.1:8000"
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
