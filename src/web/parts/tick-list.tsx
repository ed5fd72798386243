/** Boxes for what several things have in common: all of them, some or none. */

type Props = {
  label: string;
  items: readonly Tick[];
  ticks: Ticks;
  onChange: (ticks: Ticks) => void;
};

export const TickList = ({ label, items, ticks, onChange }: Props) => (
  <fieldset class="scroll below">
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

type Tick = { name: string; has: 'all' | 'some' | 'none'; note?: string };
/** What was decided: true for all of them, false for none. */
export type Ticks = Readonly<Record<string, boolean>>;

/** @param lists what each of the things has */
export function hasOf(name: string, lists: readonly (readonly string[])[]): Tick['has'] {
  const count = lists.filter((list) => list.includes(name)).length;
  return count === 0 ? 'none' : count === lists.length ? 'all' : 'some';
}
