/** Picks one of several proxies, or all of them. */
import type { Described } from './field.tsx';

type Props = Partial<Described> & {
  class?: string;
  'aria-label'?: string;
  names: readonly string[];
  /** A name; empty: all. */
  value: string;
  onPick: (name: string) => void;
};

export const ProxySelect = ({ names, value, onPick, ...attributes }: Props) => (
  <select {...attributes} value={value} onChange={(event) => onPick(event.currentTarget.value)}>
    <option value="">All proxies</option>
    {/* One that was removed may still be in an address. */}
    {[...new Set([...names, ...(value === '' ? [] : [value])])].map((name) => (
      <option key={name}>{name}</option>
    ))}
  </select>
);
