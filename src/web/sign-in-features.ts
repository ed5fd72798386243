/** What features bring to the page for those who are not signed in, one line each: apart, as all that it shows waits for it. */
import { otherWays, SecondStep } from '../features/sign-in/web/sign-in.tsx';
import type { SignInWay, SecondStep as Step } from './feature.ts';

export const SECOND_STEPS: readonly Step[] = [SecondStep];

export const SIGN_IN_WAYS: readonly SignInWay[] = [otherWays];
