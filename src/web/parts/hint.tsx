/** How to fix what was refused; words between backticks are code. */
export function Hint({ text }: { text: string }) {
  return (
    <p class="hint">
      {text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}
    </p>
  );
}
