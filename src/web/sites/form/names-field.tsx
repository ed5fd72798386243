/** The names of a site after its first one, which have the same policies, config and figures. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Field } from '../../parts/field.tsx';
import { correctName, namesIn, sentenceOf } from './corrections.ts';

type Props = {
  /** The first one. */
  domain: string;
  names: readonly string[];
  /** Whether it was just asked for, so that it takes the focus. */
  isNew: boolean;
  onChange: (names: readonly string[]) => void;
};

/** A chip for each name, and an input for more: Enter, a comma or leaving it adds what was typed. */
export function NamesField({ domain, names, isNew, onChange }: Props) {
  const [typed, setTyped] = useState('');
  const [said, setSaid] = useState('');
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isNew) input.current?.focus();
  }, [isNew]);

  const add = (text: string) => {
    setTyped('');
    const corrected = namesIn(text).map((name) => correctName(name) ?? { kept: name, why: '' });
    if (corrected.length === 0) return;
    const all = new Set([...names, ...corrected.map(({ kept }) => kept)]);
    all.delete(domain.trim());
    setSaid(corrected.map((one) => (one.why ? sentenceOf(one) : `Added ${one.kept}.`)).join(' '));
    onChange([...all]);
  };
  const remove = (name: string) => {
    setSaid(`Removed ${name}.`);
    onChange(names.filter((one) => one !== name));
    input.current?.focus();
  };
  return (
    <Field
      label="Further names"
      help={
        <>
          <span role="status">{said}</span>
          {said === '' && 'Enter adds a name. All of them lead to the same service.'}
        </>
      }
    >
      {(attributes) => (
        <div class="name-chips chips row">
          {names.map((name) => (
            <button
              key={name}
              type="button"
              class="mono"
              aria-label={`Remove ${name}`}
              onClick={() => remove(name)}
            >
              {name} <span aria-hidden="true">×</span>
            </button>
          ))}
          <input
            {...attributes}
            ref={input}
            type="text"
            class="mono grow"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            value={typed}
            onInput={({ currentTarget: { value } }) =>
              /[,\s]$/.test(value) ? add(value) : setTyped(value)
            }
            onBlur={() => add(typed)}
            onKeyDown={(event) => {
              const last = names.at(-1);
              if (event.key === 'Enter' && typed !== '') {
                event.preventDefault();
                add(typed);
              } else if (event.key === 'Backspace' && typed === '' && last !== undefined) {
                remove(last);
              }
            }}
          />
        </div>
      )}
    </Field>
  );
}
