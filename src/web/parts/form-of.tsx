/** A form made from a description of its fields: draws them, reads them, and places an error at one of them. */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { ApiError, wordsOf } from '../lib/api.ts';
import { placeError, submitWith, useSubmit } from '../lib/use-form.ts';
import { type ButtonProps, Dialog, DialogButton, FormActions } from './dialog.tsx';
import { FieldOf, type FieldSpec } from './field-of.tsx';
import { Notice } from './notice.tsx';

/** What the parts of a form may use that are not described. */
export type FormState = {
  busy: boolean;
  /** What is wrong with a field. */
  at: (name: string) => string | null;
  /** Submits by another button. @param way passed to `onSubmit` */
  submit: (way: string) => Promise<void>;
};

export type FormProps<Name extends string = string> = {
  /** By name, in order. */
  fields: Readonly<Record<Name, FieldSpec>>;
  /** The label of the button that submits, and its label while that takes a while. */
  action: readonly [idle: string, busy?: string];
  kind?: 'danger' | 'primary' | undefined;
  /**
   * Gets the texts of the fields, which are in no state of the page. The form shows what it throws.
   * @param way of another button; empty: the usual one
   */
  onSubmit: (values: Record<Name, string>, way: string) => Promise<void>;
  /** Brings a button that cancels. */
  onClose?: () => void;
  /** Of a form inside a card. */
  label?: string | undefined;
  /** Shown after a success, which empties the fields. */
  done?: string;
  /** Shown above the fields. */
  children?: ComponentChildren;
  /** Shown below the fields. */
  more?: (form: FormState) => ComponentChildren;
  /** The names of those fields below that show their errors. */
  places?: readonly string[];
  buttons?: (form: FormState) => ComponentChildren;
  /** Shows an error that belongs to no field; by default its words. */
  notice?: (error: unknown, form: FormState) => ComponentChildren;
};

export function FormOf<Name extends string>(props: FormProps<Name>) {
  const { fields, action, kind, label, done, children, more, places = [], buttons } = props;
  const { notice = wordsIn, onSubmit, onClose } = props;
  const element = useRef<HTMLFormElement>(null);
  const [isDone, setDone] = useState(false);
  const { busy, error, run } = useSubmit(async (way: string) => {
    const form = element.current;
    if (!form) return;
    setDone(false);
    await onSubmit(Object.fromEntries(new FormData(form)) as Record<Name, string>, way);
    if (done === undefined) return;
    form.reset();
    setDone(true);
  });
  const described = Object.entries<FieldSpec>(fields);
  const names = [...described.map(([name]) => name), ...places];
  const byCode =
    error instanceof ApiError
      ? described.find(([, { codes }]) => codes?.test(error.code))
      : undefined;
  const placed = placeError(error, names, ({ field }) => byCode?.[0] ?? nameIn(names, field));
  const form = { busy, at: placed.at, submit: run };
  return (
    <form
      ref={element}
      class={label && 'inset box'}
      aria-label={label}
      onSubmit={submitWith(() => run(''))}
    >
      {children}
      {described.map(([name, field]) => (
        <FieldOf
          key={name}
          name={name}
          field={field}
          error={(name === byCode?.[0] && field.wrong) || placed.at(name)}
        />
      ))}
      {more?.(form)}
      {placed.notice !== null && notice(error, form)}
      {isDone && <Notice kind="success">{done}</Notice>}
      <FormActions
        action={(busy && action[1]) || action[0]}
        kind={kind}
        disabled={busy}
        onClose={onClose}
      >
        {buttons?.(form)}
      </FormActions>
    </form>
  );
}

type DialogProps<Name extends string> = FormProps<Name> & { title: string; onClose: () => void };

/** A dialog with nothing but a form. */
export const FormDialog = <Name extends string>({ title, ...form }: DialogProps<Name>) => (
  <Dialog title={title} onClose={form.onClose}>
    <FormOf {...form} />
  </Dialog>
);

/** A button that opens such a dialog, which a success closes. */
export const FormButton = <Name extends string>(
  props: ButtonProps & Omit<DialogProps<Name>, 'label' | 'onClose'>,
) => (
  <DialogButton {...props}>
    {(close) => (
      <FormDialog<Name>
        {...props}
        label={undefined}
        onSubmit={async (values, way) => {
          await props.onSubmit(values, way);
          close();
        }}
        onClose={close}
      />
    )}
  </DialogButton>
);

const wordsIn = (error: unknown) => <Notice kind="error">{wordsOf(error)}</Notice>;

/** The field that a path such as `quiet.from` leads to. */
const nameIn = (names: readonly string[], path: string | null): string | null =>
  names.find((name) => path === name || path?.startsWith(`${name}.`)) ?? null;
