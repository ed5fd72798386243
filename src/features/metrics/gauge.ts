/** A value of the hub, under its name. */
import type { Family } from '../../shared/observe/metrics.ts';

/** One gauge without labels; true is 1, false is 0, and what is not known is left out. */
export const gauge = (name: string, help: string, value: number | boolean | undefined): Family => ({
  name: `signalbox_${name}`,
  help,
  type: 'gauge',
  samples: value === undefined ? [] : [{ value: Number(value) }],
});
