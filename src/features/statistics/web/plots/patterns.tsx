/** The colours of classes of status, with patterns for those who cannot tell them apart. */
import type { StatusClass } from '../../../../web/lib/types.ts';
import { STACK } from './plot-data.ts';

const HORIZONTAL = 'M0 2h8M0 6h8';
const VERTICAL = 'M2 0v8M6 0v8';
const DIAGONAL = 'M-2 2 2-2M0 8 8 0M6 10 10 6';

/** The lines over the colour, on a tile of 8 pixels. */
const LINES: Readonly<Record<StatusClass, string>> = {
  '2xx': '',
  '3xx': HORIZONTAL,
  '1xx': VERTICAL,
  other: HORIZONTAL + VERTICAL,
  '4xx': DIAGONAL,
  '5xx': `${DIAGONAL}M10 2 6-2M8 8 0 0M2 10-2 6`,
};

/** For the `fill` of a shape on a page that has `Patterns`. */
export const fillOf = (name: StatusClass): string => `url(#status-${name})`;

/** What `fillOf` refers to; shows nothing. */
export const Patterns = () => (
  <svg class="visually-hidden" aria-hidden="true">
    {STACK.map((name) => (
      <pattern key={name} id={`status-${name}`} width="8" height="8" patternUnits="userSpaceOnUse">
        <rect width="8" height="8" fill={`var(--status-${name})`} />
        <path d={LINES[name]} stroke="var(--panel)" />
      </pattern>
    ))}
  </svg>
);
