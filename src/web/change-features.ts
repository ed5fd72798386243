/** What features bring to forms that publish a change, one line each: apart, as it is loaded with these only. */
import { Replay } from '../features/replay/web/replay.tsx';
import type { ChangeQuestion } from './feature.ts';

export const CHANGE_QUESTIONS: readonly ChangeQuestion[] = [Replay];
