/** What an explanation says of a site: how far a request of a visitor gets, what stops it, and what to do. */
import { type Static, t } from 'elysia';
import { AnyOperation } from '../../hub/model/any-operation.ts';

/** The way of a request, in its order. */
export const STEPS = [
  'name',
  'port',
  'certificate',
  'policy',
  'connect',
  'speak',
  'answer',
] as const;
export type Step = (typeof STEPS)[number];

/** Each cause, with the step that it stops. */
export const STEP_OF = {
  NAME_UNKNOWN: 'name',
  NAME_ELSEWHERE: 'name',
  PORT_CLOSED: 'port',
  PORT_HELD: 'port',
  CERTIFICATE_PENDING: 'certificate',
  CERTIFICATE_REFUSED: 'certificate',
  CERTIFICATE_EXPIRED: 'certificate',
  CERTIFICATE_UNTRUSTED: 'certificate',
  SHUT_OUT: 'policy',
  SIGN_IN_DOWN: 'policy',
  SIGN_IN_LOOP: 'policy',
  UPSTREAM_NAME: 'connect',
  UPSTREAM_REFUSED: 'connect',
  UPSTREAM_TIMEOUT: 'connect',
  UPSTREAM_ITSELF: 'connect',
  UPSTREAM_LOCALHOST: 'connect',
  SPEAKS_TLS: 'speak',
  SPEAKS_PLAIN: 'speak',
  UPSTREAM_UNTRUSTED: 'speak',
  NOT_HTTP: 'speak',
  SPEAKS_H2: 'speak',
  CLOSES: 'speak',
  HANGS: 'speak',
  REDIRECT_LOOP: 'answer',
  REDIRECT_ELSEWHERE: 'answer',
  PROXY_NOT_TRUSTED: 'answer',
  HOST_REFUSED: 'answer',
  TOO_LARGE: 'answer',
  UPSTREAM_ERROR: 'answer',
  WEBSOCKET_REFUSED: 'answer',
} as const satisfies Record<string, Step>;
export type Cause = keyof typeof STEP_OF;

const steps = STEPS.map((step) => t.Literal(step));
const causes = Object.keys(STEP_OF).map((code) => t.Literal(code));
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
          status: t.Union([t.Integer(), t.Null()]),
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
