/** Gives up on an agent that stops answering in the middle of a long call. */

/** Milliseconds between two questions, and for an answer: together far less than a call may take. */
const EVERY_MS = 1_000;
const ANSWER_MS = 2_500;

/**
 * Asks every second whether the agent still answers, until the returned function is called.
 * @param answers whether it does within so many milliseconds; never rejects
 * @param lost called once, if it does not
 */
export function startPulse(
  answers: (deadline: number) => Promise<boolean>,
  lost: () => void,
): () => void {
  let timer: Timer | undefined;
  let isOver = false;
  const later = () => {
    timer = setTimeout(async () => {
      const isThere = await answers(ANSWER_MS);
      if (isOver) return;
      if (isThere) later();
      else lost();
    }, EVERY_MS);
  };
  later();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
