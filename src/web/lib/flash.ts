/** A message for the page that is shown next. */
let message: string | null = null;

export function setFlash(text: string): void {
  message = text;
}

/** The message, once. */
export function takeFlash(): string | null {
  const text = message;
  message = null;
  return text;
}
