/** A message to show on the next page. */
let message: string | null = null;

/** Replaces a message that has not been shown. */
export function setFlash(text: string): void {
  message = text;
}

/** Returns the message the first time, and null after that. */
export function takeFlash(): string | null {
  const text = message;
  message = null;
  return text;
}
