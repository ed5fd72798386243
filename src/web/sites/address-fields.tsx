/** The inputs for a site's domain and where it forwards to, with errors beside them. */
import { TextField } from '../parts/text-field.tsx';
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
