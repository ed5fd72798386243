/** A card with a list from the hub: its title, its state of loading, its items. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { Loaded } from '../lib/use-load.ts';
import { Notice } from '../parts/notice.tsx';
import { SkeletonRows } from '../parts/skeleton-rows.tsx';

type Props<T> = {
  title: string;
  /** Shown beside the title. */
  action?: ComponentChildren;
  help?: ComponentChildren;
  list: Pick<Loaded<T[]>, 'data' | 'error' | 'reload'>;
  empty?: string;
  item: (item: T) => ComponentChildren;
  /** Shown between the title and the list. */
  children?: ComponentChildren;
};

export function ListCard<T>(props: Props<T>) {
  const { title, action, help, list, empty, item, children } = props;
  const id = useId();
  return (
    <section class="card" aria-labelledby={id}>
      <div class="card-head row">
        <h2 id={id}>{title}</h2>
        {action}
      </div>
      {help && <p class="muted">{help}</p>}
      {children}
      {list.error && (
        <Notice kind="error" title={list.error}>
          <button type="button" class="link" onClick={list.reload}>
            Try again
          </button>
        </Notice>
      )}
      {!list.data && !list.error && <SkeletonRows rows={2} label={`Loading ${title}`} />}
      {list.data?.length === 0 && empty && <p class="muted">{empty}</p>}
      {list.data && list.data.length > 0 && (
        <ul class="entries plain" aria-labelledby={id}>
          {list.data.map(item)}
        </ul>
      )}
    </section>
  );
}
