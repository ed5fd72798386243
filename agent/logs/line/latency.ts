/**
 * Stores a latency in one byte: eight equal steps in every octave from a microsecond to an hour, so
 * that the middle of a step is at most 6.25 % from the measured value.
 */
import type { Latencies } from '../../../src/shared/wire/logs.ts';

export const LATENCY_STEPS = 256;

/** RFC 9110, 15.2.2: the connection becomes another one, a websocket's, and what was logged is how long that lasted. */
export const SWITCHING_PROTOCOLS = 101;

const float = new Float32Array(1);
const bits = new Int32Array(float.buffer);
// A step is the exponent and the first three fraction bits of a 32-bit float, from 2^-10 ms on.
const SHIFT = 20;
const FIRST = (127 - 10) << 3;

/** The step of a latency in milliseconds; values out of range are in the first or the last step. */
export function latencyStep(milliseconds: number): number {
  float[0] = milliseconds;
  const step = ((bits[0] as number) >> SHIFT) - FIRST;
  return step < 0 ? 0 : step < LATENCY_STEPS ? step : LATENCY_STEPS - 1;
}

/** The middle of a step in milliseconds, to three digits. */
export function latencyOf(step: number): number {
  const edge = (of: number) => 2 ** ((of >> 3) - 10) * (1 + (of & 7) / 8);
  return Number(((edge(step) + edge(step + 1)) / 2).toPrecision(3));
}

/** @param counts the number of requests by step */
export function latenciesOf(counts: Uint32Array): Latencies {
  const latencies: Latencies = [];
  for (const [step, count] of counts.entries())
    if (count > 0) latencies.push([latencyOf(step), count]);
  return latencies;
}
