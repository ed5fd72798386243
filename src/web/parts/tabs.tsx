/** Tabs: links to pages that belong together, each with an address of its own. */

type Tab = { to: string; title: string; isCurrent: boolean };

/** @param label what they are about, for screen readers */
export const Tabs = ({ label, tabs }: { label: string; tabs: readonly Tab[] }) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ to, title, isCurrent }) => (
      <a key={to} href={to} aria-current={isCurrent ? 'page' : undefined}>
        {title}
      </a>
    ))}
  </nav>
);
