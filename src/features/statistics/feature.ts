/** Requests, errors and latency over time, in the dashboard: figures and plots of what the log counts. */
import type { Feature } from '../../feature.ts';

export const statistics: Feature = { name: 'statistics' };
