/** The table of causes: each with what shows it and what to do, in the order of a request. The first that fits counts. */
import { ANSWER } from './causes/answer.ts';
import { CONNECT } from './causes/connect.ts';
import { POLICY } from './causes/policy.ts';
import { SPEAK } from './causes/speak.ts';
import { WAY } from './causes/way.ts';
import type { Row } from './facts.ts';

export const CAUSES: readonly Row[] = [...WAY, ...POLICY, ...CONNECT, ...SPEAK, ...ANSWER];
