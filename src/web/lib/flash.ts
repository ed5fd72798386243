/** A message to show on the next page. */
export type Flash = { kind: 'success' | 'warning'; text: string };

let message: Flash | null = null;

/** Replaces a message that has not been shown. */
export function setFlash(flash: Flash): void {
  message = flash;
}

/** Returns the message the first time, and null after that. */
export function takeFlash(): Flash | null {
  const flash = message;
  message = null;
  return flash;
}
