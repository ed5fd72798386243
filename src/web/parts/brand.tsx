/** The logo, a semaphore arm at clear, and the name. */
export function Brand() {
  return (
    <>
      <svg class="brand-sign" viewBox="0 0 32 32" aria-hidden="true">
        <rect class="brand-plate" width="32" height="32" rx="7" />
        <rect class="brand-arm" x="9" y="6" width="3" height="21" rx="1.5" />
        <path class="brand-arm" d="M11 9.5 25 5.5v5.6l-14 4z" />
        <path class="brand-plate" d="M20.2 6.9l1.9-.55v5.6l-1.9.55z" />
      </svg>
      signalbox
    </>
  );
}
