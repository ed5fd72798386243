/** Boxes for what several things have in common: all of them, some or none. */
import { Tick } from './tick.tsx';

type Props = {
  label: string;
  items: readonly Item[];
  ticks: Ticks;
  onChange: (ticks: Ticks) => void;
};

export const TickList = ({ label, items, ticks, onChange }: Props) => (
  <fieldset class="scroll below">
    <legend class="visually-hidden">{label}</legend>
    {items.map(({ name, has, note }) => (
      <Tick
        key={name}
        checked={ticks[name] ?? has === 'all'}
        indeterminate={ticks[name] === undefined && has === 'some'}
        onTick={(isTicked) => onChange({ ...ticks, [name]: isTicked })}
      >
        <span>{name}</span>
        {note && <small class="muted">{note}</small>}
      </Tick>
    ))}
  </fieldset>
);

type Item = { name: string; has: 'all' | 'some' | 'none'; note?: string };
/** What was decided: true for all of them, false for none. */
export type Ticks = Readonly<Record<string, boolean>>;

/** @param lists what each of the things has */
export function hasOf(name: string, lists: readonly (readonly string[])[]): Item['has'] {
  const count = lists.filter((list) => list.includes(name)).length;
  return count === 0 ? 'none' : count === lists.length ? 'all' : 'some';
}
