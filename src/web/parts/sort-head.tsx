/** The head of a column by which a table can be sorted. */
import type { ComponentProps } from 'preact';
import { Icon } from './icon.tsx';

type Props = Pick<ComponentProps<'th'>, 'role' | 'class' | 'title'> & {
  label: string;
  /** How the table is sorted by it; undefined if it is sorted by another one. */
  direction: 'ascending' | 'descending' | undefined;
  onSort: () => void;
};

export const SortHead = ({ label, direction, onSort, ...head }: Props) => (
  <th {...head} scope="col" aria-sort={direction}>
    <button type="button" class="sort" onClick={onSort}>
      {label}
      {direction && <Icon name={direction} />}
    </button>
  </th>
);
