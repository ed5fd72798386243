/** A field of a form, drawn from its description. */
import type { ComponentChildren, JSX, PartialInputHTMLAttributes } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useUser } from '../lib/hub.ts';
import { type Described, Field } from './field.tsx';

/** A line of text that is required, unless it says otherwise. */
export type FieldSpec = Pick<
  PartialInputHTMLAttributes<HTMLInputElement>,
  | ('class' | 'disabled' | 'required' | 'minLength' | 'maxLength' | 'min' | 'max' | 'placeholder')
  | (
      | 'onInput'
      | 'pattern'
      | 'title'
      | 'autocomplete'
      | 'inputMode'
      | 'autocapitalize'
      | 'spellcheck'
    )
> & {
  label: string;
  help?: ComponentChildren | undefined;
  type?: 'text' | 'email' | 'password' | 'number' | 'lines';
  /** Of `lines`. */
  rows?: number;
  /** What it starts with. */
  value?: string | undefined;
  /** What it holds, if that is a state of the page. */
  typed?: string;
  onText?: (text: string) => void;
  /** To pick one of them; with a help for each, all are visible. */
  options?: readonly { value: string; label?: string; help?: string }[];
  /** On a page that is nothing but this form. */
  isFocused?: boolean;
  /** The codes of the errors that are about this field, beside those that name it. */
  codes?: RegExp;
  /** Shown after such an error, instead of the hub's words. */
  wrong?: string;
  /** The help after an error. */
  remedy?: ComponentChildren;
  /** Puts the drawn field into something. */
  around?: (drawn: ComponentChildren) => JSX.Element;
};

/** A new password, with the hub's limits. */
export const NEW_PASSWORD = {
  type: 'password',
  minLength: 8,
  maxLength: 128,
} as const;

/** The name of a proxy, a policy or a certificate. */
export const SLUG = { maxLength: 40, autocapitalize: 'off', spellcheck: false } as const;

/** The name of a proxy. */
export const PROXY_NAME = {
  label: 'Name',
  help: 'Lower-case letters, digits and hyphens',
  ...SLUG,
} as const;

/** The password of the account. */
export const PASSWORD = {
  type: 'password',
  autocomplete: 'current-password',
  codes: /^INVALID_PASSWORD$/,
  wrong: 'Wrong password.',
} as const;

/** The fields of a form that asks for nothing else. */
export const PASSWORD_ALONE = { password: { label: 'Password', ...PASSWORD } };

/** For a password manager: whose password is asked for. */
export function Username() {
  const user = useUser();
  return <input type="hidden" autocomplete="username" value={user?.email ?? ''} />;
}

/** A code of an authenticator app, which may be pasted with spaces. */
export const CODE = {
  class: 'mono',
  inputMode: 'numeric',
  autocomplete: 'one-time-code',
  codes: /^INVALID_(BACKUP_)?CODE$/,
  wrong: 'Wrong code.',
} as const;

/** A code without the spaces that make it readable. */
export const digitsOf = (code: string): string => code.replace(/\s/g, '');

type Props = { name: string; field: FieldSpec; error: string | null };

export function FieldOf({ name, field, error }: Props) {
  const { label, help, remedy, options, around = (control) => control } = field;
  if (options?.some((option) => option.help)) return <Choices name={name} field={field} />;
  return around(
    <Field label={label} help={(error !== null && remedy) || help} error={error}>
      {(described) => <Control name={name} field={field} described={described} />}
    </Field>,
  );
}

type ControlProps = { name: string; field: FieldSpec; described: Described };

function Control({ name, field, described }: ControlProps) {
  const {
    type = 'text',
    rows,
    value,
    typed,
    onText,
    options = [],
    isFocused = false,
    ...more
  } = field;
  const { label, help, codes, wrong, remedy, around, ...attributes } = more;
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFocused) input.current?.focus();
  }, [isFocused]);
  // With `off`, a browser may fill in the password of this dashboard.
  const autocomplete = type === 'password' ? 'new-password' : 'off';
  const common = {
    ...described,
    name,
    ...(typed !== undefined && { value: typed }),
    onInput: (event: { currentTarget: { value: string } }) => onText?.(event.currentTarget.value),
  };
  if (options.length > 0) {
    return (
      <select {...common} required={attributes.required === true}>
        {options.map((option) => (
          <option
            key={option.value}
            value={option.value}
            selected={option.value === (typed ?? value)}
          >
            {option.label ?? option.value}
          </option>
        ))}
      </select>
    );
  }
  const writable = { required: true, autocomplete, defaultValue: value, ...attributes, ...common };
  if (type === 'lines') return <textarea {...writable} rows={rows} />;
  // Preact declares the attributes of each type apart, and these are the same for all.
  const ofType = { type } as { type: 'text' };
  return <input ref={input} {...writable} {...ofType} />;
}

const Choices = ({
  name,
  field: { label, options = [], value },
}: Omit<ControlProps, 'described'>) => (
  <fieldset class="choices">
    <legend>{label}</legend>
    {options.map((option) => (
      <label key={option.value}>
        <input
          type="radio"
          name={name}
          value={option.value}
          defaultChecked={option.value === value}
        />
        <span>
          {option.label} <small class="muted">{option.help}</small>
        </span>
      </label>
    ))}
  </fieldset>
);
