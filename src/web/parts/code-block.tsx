/** Configuration to be read; longer than its place, it scrolls, by keys as well. */

export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, which keys must do too
    <section class="code mono" aria-label={label} tabIndex={0}>
      {text}
    </section>
  );
}
