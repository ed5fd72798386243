/** A message on the page: a refusal is read out at once, the rest when there is time. */
import type { ComponentChildren } from 'preact';

type Props = {
  kind: 'error' | 'warning' | 'success' | 'info';
  title?: string | undefined;
  /** The proxy's own words. */
  detail?: string | null | undefined;
  children?: ComponentChildren;
};

export function Notice({ kind, title, detail, children }: Props) {
  return (
    <div class={`notice notice-${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
      {title && <strong>{title}</strong>}
      {children}
      {detail && <pre class="proxy-words">{detail}</pre>}
    </div>
  );
}
