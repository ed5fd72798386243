/** Dialogs: the frame of all, the question before an action, and what is shown only once. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { wordsOf } from '../lib/api.ts';
import { submitWith, useSubmit } from '../lib/use-form.ts';
import { CopyButton } from './code-block.tsx';
import { TextField } from './field.tsx';
import { Notice } from './notice.tsx';

type Props = { title: string; onClose: () => void; children: ComponentChildren };

/** Open while it is rendered; after that the focus returns to where it was. */
export function Dialog({ title, onClose, children }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    const opener = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      // The browser moves the focus back only if the dialog is still in the document.
      if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape already closes a dialog
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      <div class="dialog-body">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

type ActionsProps = {
  /** The label of the button that submits. */
  action: string;
  kind?: 'danger' | 'primary' | undefined;
  disabled: boolean;
  /** Without it, there is no button that cancels. */
  onClose?: (() => void) | undefined;
  /** The label of that button. */
  cancel?: string | undefined;
  children?: ComponentChildren;
};

/** The buttons of a form that can be closed. */
export const FormActions = (props: ActionsProps) => (
  <div class="actions">
    {props.onClose && (
      <button type="button" onClick={props.onClose}>
        {props.cancel ?? 'Cancel'}
      </button>
    )}
    {props.children}
    <button type="submit" class={props.kind ?? 'primary'} disabled={props.disabled}>
      {props.action}
    </button>
  </div>
);

/** The button of a dialog that only says something. */
export const Closing = ({ onClose, children }: Pick<Props, 'onClose'> & Partial<Props>) => (
  <div class="actions">
    {children}
    <button type="button" onClick={onClose}>
      Close
    </button>
  </div>
);

type ConfirmProps = {
  title: string;
  /** The button's label, such as `Delete site`. */
  action: string;
  /** `primary` if nothing is lost. */
  kind?: 'danger' | 'primary';
  /** What has to be typed to confirm. */
  name?: string;
  /** The dialog shows what it throws; it has to be closed by the caller. */
  onConfirm: () => Promise<void>;
  onClose: () => void;
  children: ComponentChildren;
};

/** A dialog that asks for confirmation, if need be by typing a name. */
export function Confirm(props: ConfirmProps) {
  const { title, action, kind = 'danger', name, onConfirm, onClose, children } = props;
  const [typed, setTyped] = useState('');
  const { busy, error, run } = useSubmit(onConfirm);
  const ready = name === undefined || typed.trim() === name;

  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submitWith(() => ready && run())}>
        {children}
        {name !== undefined && (
          <TextField
            label={`Type ${name} to confirm`}
            type="text"
            class="mono"
            value={typed}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        {error !== null && <Notice kind="error">{wordsOf(error)}</Notice>}
        <FormActions action={action} kind={kind} disabled={!ready || busy} onClose={onClose} />
      </form>
    </Dialog>
  );
}

export type ButtonProps = {
  button: string;
  /** What screen readers say instead. */
  label?: string;
  /** The id of what they say after that. */
  describedBy?: string;
  class?: string;
};
type DialogButtonProps = ButtonProps & { children: (close: () => void) => ComponentChildren };

/** A button that opens a dialog. */
export function DialogButton({ button, label, describedBy, children, ...more }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        class={more.class}
        aria-label={label}
        aria-describedby={describedBy}
        onClick={() => setOpen(true)}
      >
        {button}
      </button>
      {isOpen && children(() => setOpen(false))}
    </>
  );
}

/** A button that asks for confirmation before it acts. */
export const ConfirmButton = (props: ButtonProps & Omit<ConfirmProps, 'onClose'>) => (
  <DialogButton {...props}>
    {(close) => (
      <Confirm
        {...props}
        onConfirm={async () => {
          await props.onConfirm();
          close();
        }}
        onClose={close}
      />
    )}
  </DialogButton>
);

/** Warnings before an action replaces sites that Caddy serves and signalbox does not manage. */
export const ReplacesForeign = () => (
  <p>
    Caddy currently serves sites that signalbox does not manage. They will be replaced. Their
    Caddyfile stays, as a copy.
  </p>
);

type ReplacesForeignProps = { onReplace: () => Promise<void>; onClose: () => void };

export const ConfirmReplace = ({ onReplace, onClose }: ReplacesForeignProps) => (
  <Confirm
    title="Replace Caddy’s current sites?"
    action="Replace it"
    onConfirm={async () => {
      await onReplace();
      onClose();
    }}
    onClose={onClose}
  >
    <p>
      Caddy will stop serving its current sites. The old file stays beside the new one, as
      Caddyfile.before-signalbox.
    </p>
  </Confirm>
);

type ShownOnceProps = {
  title: string;
  /** What it is called on the button that copies it. */
  name: string;
  secret: string;
  /** A command that uses it. */
  example?: string;
  onClose: () => void;
  /** What it is for. */
  children: ComponentChildren;
};

/** Shows a secret that the hub has just made, once. */
export function ShownOnce({ title, name, secret, example, onClose, children }: ShownOnceProps) {
  const copy = <CopyButton text={secret} label={`Copy ${name}`} />;
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{children}</p>
      <p class="secret code wrap">
        <code>{secret}</code>
      </p>
      {example !== undefined && (
        <>
          <div class="row above">{copy}</div>
          <h3>Try it</h3>
          <pre class="code wrap">{example}</pre>
        </>
      )}
      <div class="actions">
        {example === undefined ? copy : <CopyButton text={example} label="Copy command" />}
        <button type="button" class="primary" onClick={onClose}>
          I have copied it
        </button>
      </div>
    </Dialog>
  );
}
