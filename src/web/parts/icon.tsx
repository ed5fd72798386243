/** The logo, and the icons: drawn for this dashboard, as lines on a square of 16, in the colour of the text. */

const PATHS = {
  proxies: 'M2.5 2.5h11v4.5h-11zM2.5 9h11v4.5h-11zM5 4.7h.01M5 11.2h.01',
  policies: 'M3.5 7.2h9v6h-9zM5.3 7.2V5a2.7 2.7 0 0 1 5.4 0v2.2M8 9.7v1.3',
  transfer: 'M4.5 13V3M2 5.5 4.5 3 7 5.5M11.5 3v10M9 10.5l2.5 2.5 2.5-2.5',
  bell: 'M3 11.5c1.2-1.3 1.2-2.4 1.2-4.7a3.8 3.8 0 0 1 7.6 0c0 2.3 0 3.4 1.2 4.7zM6.6 13.5a1.5 1.5 0 0 0 2.8 0',
  account: 'M8 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 14c.5-3 2.3-4.5 5-4.5s4.5 1.5 5 4.5',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.4 3.4',
  menu: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  open: 'M6.5 3.5H3v9.5h9.5V9.5M9 2.5h4.5V7M13.5 2.5 7.5 8.5',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  auto: 'M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11',
  light:
    'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7',
  dark: 'M13.5 9.8A6 6 0 0 1 6.2 2.5a6 6 0 1 0 7.3 7.3z',
  more: 'M3 8h.01M8 8h.01M13 8h.01',
  ascending: 'M4 10l4-4 4 4',
  descending: 'M4 6l4 4 4-4',
  good: 'M3.5 8.5l3 3 6-7',
  bad: 'M8 2.5 14 13H2zM8 6.5v3M8 11.3h.01',
  warn: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5.5v3M8 10.7h.01',
  off: 'M4 8h8',
  unknown: 'M6 6.2a2 2 0 1 1 2.8 2c-.5.3-.8.6-.8 1.3M8 12h.01',
} as const;

type IconName = keyof typeof PATHS;

/** Decoration: the text beside it, or the label of its button, says the same. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);

/** The logo, a semaphore arm at clear, and the name. */
export function Brand() {
  return (
    <>
      <svg width="28" height="28" viewBox="0 0 32 32" aria-hidden="true">
        <rect fill="#14532d" width="32" height="32" rx="7" />
        <rect fill="#ffffff" x="9" y="6" width="3" height="21" rx="1.5" />
        <path fill="#ffffff" d="M11 9.5 25 5.5v5.6l-14 4z" />
        <path fill="#14532d" d="M20.2 6.9l1.9-.55v5.6l-1.9.55z" />
      </svg>
      signalbox
    </>
  );
}
