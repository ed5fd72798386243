/** A card with a list, whose form opens in its place. */
import type { ComponentChildren, RefObject } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { submitWith } from '../lib/use-form.ts';
import type { Loaded } from '../lib/use-load.ts';
import { FormActions } from './dialog.tsx';
import { SkeletonRows } from './loading.tsx';
import { Notice } from './notice.tsx';

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

/** A card with a list from the hub: its title, its state of loading, its items. */
export function ListCard<T>(props: Props<T>) {
  const { title, action, help, list, empty, item, children } = props;
  const id = useId();
  return (
    <section class="card" aria-labelledby={id}>
      <div class="card-head row between">
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

type InsetFormProps = {
  label: string;
  /** The submit button's label, and its label while busy. */
  action: readonly [idle: string, busy: string];
  busy: boolean;
  /** An error that belongs to no field. */
  notice: string | null;
  onSubmit: () => unknown;
  onClose: () => void;
  children: ComponentChildren;
};

/** A form that opens inside a card, to add something to its list. */
export function InsetForm(props: InsetFormProps) {
  const { label, action, busy, notice, onSubmit, onClose, children } = props;
  return (
    <form class="inset box" aria-label={label} onSubmit={submitWith(onSubmit)}>
      {children}
      {notice && <Notice kind="error">{notice}</Notice>}
      <FormActions action={action[busy ? 1 : 0]} disabled={busy} onClose={onClose} />
    </form>
  );
}

type Opener = {
  isOpen: boolean;
  /** The attributes of the button. */
  opener: {
    type: 'button';
    ref: RefObject<HTMLButtonElement | null>;
    'aria-expanded': boolean;
    onClick: () => void;
  };
  /** Closes the form. The focus was in it and would be lost. */
  close: () => void;
};

/** A button that opens a form, and takes the focus back when the form closes. */
export function useOpener(): Opener {
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return {
    isOpen,
    opener: {
      type: 'button',
      ref: button,
      'aria-expanded': isOpen,
      onClick: () => setIsOpen(!isOpen),
    },
    close: () => {
      button.current?.focus();
      setIsOpen(false);
    },
  };
}
