/** Boxes for what several things have in common: all of them, some or none. */
import type { Tick, Ticks } from './ticks.ts';

type Props = {
  label: string;
  items: readonly Tick[];
  ticks: Ticks;
  onChange: (ticks: Ticks) => void;
};

export const TickList = ({ label, items, ticks, onChange }: Props) => (
  <fieldset class="tick-list">
    <legend class="visually-hidden">{label}</legend>
    {items.map(({ name, has, note }) => (
      <label key={name}>
        <input
          type="checkbox"
          checked={ticks[name] ?? has === 'all'}
          indeterminate={ticks[name] === undefined && has === 'some'}
          onChange={(event) => onChange({ ...ticks, [name]: event.currentTarget.checked })}
        />
        <span>{name}</span>
        {note && <small class="muted">{note}</small>}
      </label>
    ))}
  </fieldset>
);
