/** A choice of one of a few, side by side. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

type Props<Name extends string> = {
  /** What is chosen, for screen readers. */
  label: string;
  /** Each with what is on it, in order. */
  options: readonly (readonly [Name, ComponentChildren])[];
  chosen: Name;
  class?: string;
  onChoose: (name: Name) => void;
};

export function Segments<Name extends string>(props: Props<Name>) {
  const { label, options, chosen, class: look = '', onChoose } = props;
  const group = useId();
  return (
    <fieldset class={`segments ${look}`}>
      <legend class="visually-hidden">{label}</legend>
      {options.map(([name, content]) => (
        <label key={name}>
          <input
            type="radio"
            name={group}
            checked={chosen === name}
            onChange={() => onChoose(name)}
          />
          <span>{content}</span>
        </label>
      ))}
    </fieldset>
  );
}
