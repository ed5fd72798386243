/** Waits until the slider rests: each place that it passes would be a request. */
const REST_MS = 150;

/** @throws AbortError once `signal` is aborted */
export async function settled(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
  signal.throwIfAborted();
}
