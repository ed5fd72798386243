/** What stands where a list would be: a railway without a train, and words that say what will come. */
import type { ComponentChildren } from 'preact';

/** @param children what the list is for, and how it begins */
export const Empty = ({ children }: { children: ComponentChildren }) => (
  <div class="card empty muted">
    <Railway />
    {children}
  </div>
);

/** A signal box beside a track, with the signal at clear. Decoration. */
export const Railway = () => (
  <svg class="railway" viewBox="0 0 240 80" aria-hidden="true">
    <path
      class="railway-track"
      d="M4 66h232M14 66v7M34 66v7M54 66v7M74 66v7M94 66v7M114 66v7M134 66v7M154 66v7M174 66v7M194 66v7M214 66v7"
    />
    <path class="railway-house" d="M40 34h52v32H40z" />
    <path d="M34 34 66 18l32 16zM46 40h9v10h-9zM61.5 40h9v10h-9zM77 40h9v10h-9zM168 14h4v52h-4z" />
    <path class="railway-arm" d="m169 22 33-19 4 7-33 19z" />
  </svg>
);
