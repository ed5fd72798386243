/** Read-only configuration text that scrolls, by keyboard as well. */

export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
    <section class="code mono" aria-label={label} tabIndex={0}>
      {text}
    </section>
  );
}
