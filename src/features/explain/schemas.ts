/** What an explanation says of a site: how far a request of a visitor gets, what stops it, and what to do. */
import { type Static, t } from 'elysia';
import { AnyOperation } from '../../hub/model/any-operation.ts';
import { integer } from '../../shared/integer.ts';
import { CAUSE_WORDS, type Cause, STEPS, type Step } from './words.ts';

const steps = STEPS.map((step) => t.Literal(step));
const causes = Object.keys(CAUSE_WORDS).map((code) => t.Literal(code));
const StepName = t.Unsafe<Step>(t.Union(steps));
/** Not a union in a union, of which the OpenAPI document would leave out the null. */
const NullableStep = t.Unsafe<Step | null>(
  t.Union([...steps, t.Null()], { description: 'the first that fails' }),
);
const NullableCause = t.Unsafe<Cause | null>(t.Union([...causes, t.Null()]));

const Cure = t.Object(
  {
    words: t.String({ description: 'one or two sentences, for people' }),
    operation: t.Union([AnyOperation, t.Null()], {
      description:
        'the change that does it, for `/preview` and `/bulk`; null: it is done elsewhere',
    }),
  },
  { title: 'Cure' },
);

export const Explanation = t.Object(
  {
    verdict: t.Union([t.Literal('works'), t.Literal('fails'), t.Literal('unsure')]),
    step: NullableStep,
    cause: NullableCause,
    words: t.String({
      description: 'one or two sentences, for people; if unsure, with each cause that fits',
    }),
    cure: t.Union([Cure, t.Null()]),
    steps: t.Array(
      t.Object({
        step: StepName,
        ok: t.Union([t.Boolean(), t.Null()], { description: 'null: not looked at, or not known' }),
        words: t.String(),
      }),
      { description: 'all seven, in their order' },
    ),
    asked: t.Union(
      [
        t.Object({
          status: t.Union([integer(), t.Null()]),
          location: t.Union([t.String(), t.Null()]),
          ms: t.Number(),
        }),
        t.Null(),
      ],
      { description: 'what a visitor would get; null: it was not asked' },
    ),
  },
  { title: 'Explanation' },
);
export type Explanation = Static<typeof Explanation>;
