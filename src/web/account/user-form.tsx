/** An account for somebody else. */
import { useState } from 'preact/hooks';
import { send, sentenceOf } from '../lib/api.ts';
import { Field } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { fieldOf } from '../session/sign-up-form.tsx';
import { waitOf } from '../session/wait.ts';

type Props = { onMade: () => void; onClose: () => void };
const EMPTY = { name: '', email: '', password: '' };
type FieldName = keyof typeof EMPTY;

export function UserForm({ onMade, onClose }: Props) {
  const [values, setValues] = useState(EMPTY);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const at = fieldOf(error);
  const errorAt = (field: FieldName) => (at === field ? sentenceOf(error) : null);
  const input = (field: FieldName) => ({
    required: true,
    value: values[field],
    onInput: (event: { currentTarget: HTMLInputElement }) =>
      setValues({ ...values, [field]: event.currentTarget.value }),
  });

  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(null);
    try {
      await send('POST', '/users', values);
      onMade();
    } catch (reason) {
      setError(reason);
      setBusy(false);
    }
  };

  return (
    <form class="inset" aria-label="New user" onSubmit={submit}>
      <Field label="Name" error={errorAt('name')}>
        {(attributes) => <input {...attributes} {...input('name')} autocomplete="off" />}
      </Field>
      <Field label="E-mail" error={errorAt('email')}>
        {(attributes) => (
          <input {...attributes} {...input('email')} type="email" autocomplete="off" />
        )}
      </Field>
      <Field
        label="Password"
        error={errorAt('password')}
        help="At least 8 characters. They can change it once they have signed in."
      >
        {(attributes) => (
          <input
            {...attributes}
            {...input('password')}
            type="password"
            minLength={8}
            maxLength={128}
            autocomplete="new-password"
          />
        )}
      </Field>
      {error !== null && at === null && (
        <Notice kind="error">{waitOf(error) ?? sentenceOf(error)}</Notice>
      )}
      <div class="actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="primary" disabled={busy}>
          {busy ? 'Adding …' : 'Add this user'}
        </button>
      </div>
    </form>
  );
}
