/**
 * Latencies in one byte each: eight equal steps in every octave from a microsecond to an hour, so
 * that a step's middle is never more than 6.25 % away from what was measured.
 */
export const LATENCY_STEPS = 256;

const float = new Float32Array(1);
const bits = new Int32Array(float.buffer);
// Exponent and the first three bits of the fraction of a 32-bit float; here those of 2^-10 ms.
const SHIFT = 20;
const FIRST = (127 - 10) << 3;

/** The step of a latency in milliseconds; what is out of range is in the first or the last. */
export function latencyStep(milliseconds: number): number {
  float[0] = milliseconds;
  const step = ((bits[0] as number) >> SHIFT) - FIRST;
  return step < 0 ? 0 : step < LATENCY_STEPS ? step : LATENCY_STEPS - 1;
}

/** The middle of a step in milliseconds, with three digits. */
export function latencyOf(step: number): number {
  const edge = (at: number) => 2 ** ((at >> 3) - 10) * (1 + (at & 7) / 8);
  return Number(((edge(step) + edge(step + 1)) / 2).toPrecision(3));
}
