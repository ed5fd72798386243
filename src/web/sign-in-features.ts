/** What features bring to the page for those who are not signed in, one line each: apart, as all that it shows waits for it. */
import { otherWays } from '../features/sign-in/web/other-ways.tsx';
import type { SecondStep, SignInWay } from './feature.ts';
import { lazy } from './parts/loading.tsx';

export const SECOND_STEPS: readonly SecondStep[] = [
  lazy(async () => (await import('../features/sign-in/web/second-step.tsx')).SecondStep),
];

export const SIGN_IN_WAYS: readonly SignInWay[] = [otherWays];
