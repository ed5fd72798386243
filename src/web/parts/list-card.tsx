/** A card with a list, whose form opens in its place. */
import type { ComponentChildren, RefObject } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import type { Loaded } from '../lib/use-load.ts';
import { FormOf, type FormProps } from './form-of.tsx';
import { SkeletonRows } from './loading.tsx';
import { Notice } from './notice.tsx';

/** Of a long list, at first. */
const MOST = 10;

type Props<T, Name extends string> = {
  title: string;
  /** Shown beside the title. */
  action?: ComponentChildren;
  /** A button beside the title, and the form that it opens, which adds to the list. */
  add?: Omit<FormProps<Name>, 'onClose'> & { button: string };
  help?: ComponentChildren;
  list: Pick<Loaded<T[]>, 'data' | 'error' | 'reload'>;
  empty?: string;
  /** Whether only the first ones are shown until all are wanted. */
  isLong?: boolean;
  item: (item: T) => ComponentChildren;
  /** Shown between the title and the list. */
  children?: ComponentChildren;
};

/** A card with a list from the hub: its title, its state of loading, its items. */
export function ListCard<T, Name extends string>(props: Props<T, Name>) {
  const { title, action, add, help, list, empty, isLong = false, item, children } = props;
  const [isAll, setAll] = useState(!isLong);
  const { opened, opener, close } = useOpener();
  const id = useId();
  return (
    <section class="card" aria-labelledby={id}>
      <div class="card-head row between">
        <h2 id={id}>{title}</h2>
        {action}
        {isLong && list.data && list.data.length > MOST && (
          <button type="button" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? `Show the latest ${MOST}` : `Show all ${list.data.length}`}
          </button>
        )}
        {add && <button {...opener('form')}>{add.button}</button>}
      </div>
      {help && <p class="muted">{help}</p>}
      {add && opened && (
        <FormOf
          {...add}
          onSubmit={async (values, way) => {
            await add.onSubmit(values, way);
            close();
            void list.reload();
          }}
          onClose={close}
        />
      )}
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
          {list.data.slice(0, isAll ? undefined : MOST).map(item)}
        </ul>
      )}
    </section>
  );
}

type Opener<Name> = {
  /** The name of the form that is open. */
  opened: Name | null;
  /** The attributes of the button that opens one. */
  opener: (name: Name) => {
    type: 'button';
    ref: RefObject<HTMLButtonElement | null> | null;
    'aria-expanded': boolean;
    onClick: () => void;
  };
  /** Closes the form. The focus was in it and would be lost. */
  close: () => void;
};

/** Buttons of which each opens a form, and takes the focus back when the form closes. @param first open at first */
export function useOpener<Name extends string = 'form'>(first: Name | null = null): Opener<Name> {
  const [opened, setOpened] = useState(first);
  const button = useRef<HTMLButtonElement>(null);
  return {
    opened,
    opener: (name) => ({
      type: 'button',
      ref: opened === name ? button : null,
      'aria-expanded': opened === name,
      onClick: () => setOpened(opened === name ? null : name),
    }),
    close: () => {
      button.current?.focus();
      setOpened(null);
    },
  };
}
