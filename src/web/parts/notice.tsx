/** A message on the page; screen readers announce errors at once and the rest when idle. */
import type { ComponentChildren } from 'preact';
import { ApiError, sentenceOf } from '../lib/api.ts';

type Props = {
  kind: 'error' | 'warning' | 'success' | 'info';
  title?: string | undefined;
  /** The proxy's own words, verbatim. */
  detail?: string | null | undefined;
  /** How to fix it. */
  hint?: string | null | undefined;
  children?: ComponentChildren;
};

export function Notice({ kind, title, detail, hint, children }: Props) {
  return (
    <div class={`notice notice-${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
      {title && <strong>{title}</strong>}
      {children}
      {detail && <pre class="proxy-words">{detail}</pre>}
      {hint && <Hint text={hint} />}
    </div>
  );
}

/** Whose requests are not among those shown, because their log cannot be read. @param from names of proxies */
export const WithoutRequests = ({ from }: { from: readonly string[] | undefined }) =>
  from && from.length > 0 ? (
    <p class="notice notice-warning">
      Requests of unreachable proxies are missing: {from.join(', ')}.
    </p>
  ) : null;

/** What Caddy accepts, and can hardly be meant. */
export const Doubts = ({
  warnings = [],
}: {
  warnings: readonly { message: string }[] | undefined;
}) =>
  warnings.map(({ message }) => (
    <Notice key={message} kind="warning">
      <WithCode text={message} />
    </Notice>
  ));

/** How to fix what was refused. */
export const Hint = ({ text }: { text: string }) => (
  <p class="hint">
    <WithCode text={text} />
  </p>
);

/** A text of the hub; words between backticks are code. */
export const WithCode = ({ text }: { text: string }) => (
  <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
);

/** Why a change was refused, with the proxy's words and how to fix it. */
export function RefusedNotice({ error, children }: { error: unknown } & Pick<Props, 'children'>) {
  const known = error instanceof ApiError ? error : null;
  return (
    <Notice kind="error" title={sentenceOf(error)} detail={known?.detail} hint={known?.hint}>
      {children}
    </Notice>
  );
}
