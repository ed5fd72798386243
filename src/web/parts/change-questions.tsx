/** What can be asked of a change before it is published. */
import { CHANGE_QUESTIONS } from '../change-features.ts';
import type { PlannedChange } from '../feature.ts';

export const ChangeQuestions = (change: PlannedChange) => (
  <>
    {CHANGE_QUESTIONS.map((Question) => (
      <Question key={Question.name} {...change} />
    ))}
  </>
);
