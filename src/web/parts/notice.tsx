/** A message on the page; screen readers announce errors at once and the rest when idle. */
import type { ComponentChildren } from 'preact';
import { Hint } from './hint.tsx';

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
