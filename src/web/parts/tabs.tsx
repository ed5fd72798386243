/** Tabs: links to pages that belong together, each with an address of its own. */
import { useEffect, useRef } from 'preact/hooks';

type Tab = { to: string; title: string; isCurrent: boolean };

/** @param label what they are about, for screen readers */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const row = useRef<HTMLElement>(null);
  const current = tabs.find(({ isCurrent }) => isCurrent)?.to;
  useEffect(() => {
    // On a phone, it may be beside the window.
    const tab = row.current?.querySelector<HTMLElement>('[aria-current]');
    if (tab) row.current?.scrollTo({ left: tab.offsetLeft - tab.offsetWidth });
  }, [current]);
  return (
    <nav class="tabs" aria-label={label} ref={row}>
      {tabs.map(({ to, title, isCurrent }) => (
        <a key={to} href={to} aria-current={isCurrent ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
