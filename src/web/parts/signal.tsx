/** A railway signal with an arm of three positions: level at danger, raised at caution, almost upright if clear. */

const COLOURS = { clear: 'good', caution: 'warn', danger: 'bad' } as const;

/** Decoration: the words beside it say the same. */
export const Signal = ({ state }: { state: keyof typeof COLOURS }) => (
  <svg class={`signal ${COLOURS[state]}`} viewBox="0 0 72 72" aria-hidden="true">
    <path class="signal-post" d="M18 8h6v58h-6zM10 66h22v4H10zM17 4h8v5h-8z" />
    <g>
      <path d="M16 17.5h50v11H16z" />
      <path class="signal-band" d="M52 17.5h5v11h-5z" />
    </g>
    <circle class="signal-post" cx="21" cy="23" r="4.5" />
    <circle cx="21" cy="23" r="2.5" />
  </svg>
);
