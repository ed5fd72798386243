/** The access log, sent to a log engine as it is written. */
import type { Feature } from '../../feature.ts';
import { readAgentHalf } from './settings.ts';

export const ship: Feature = { name: 'ship', agent: readAgentHalf };
