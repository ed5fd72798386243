/** `/preview`: what a change would do, checked by the real proxy. */
import { Elysia, t } from 'elysia';
import { Failure, sentenceOf } from '../../shared/failure.ts';
import { jsonBody } from '../../shared/http.ts';
import type { Guard } from '../auth/guard.ts';
import { about } from '../http/about.ts';
import { BODY, PUBLISHES, refusals } from '../http/refusal-schemas.ts';
import { type Change, preambleChange } from '../publish/changes.ts';
import { changeOf, Operation } from '../publish/operation.ts';
import type { Publisher } from '../publish/publisher.ts';
import { TOO_DIFFERENT, unifiedDiff } from './diff.ts';
import { PREAMBLE, PROXYFILE, proxyfileOf, SITE } from './schemas.ts';

const PreviewBody = t.Union([
  Operation,
  t.Object({ op: t.Literal('preamble'), config: t.String() }, { title: 'ChangePreamble' }),
]);

const Verdict = t.Object(
  {
    valid: t.Boolean(),
    detail: t.Union([t.String(), t.Null()]),
    hint: t.Union([t.String(), t.Null()], { description: 'one sentence on how to fix it' }),
    line: t.Union([t.Integer(), t.Null()]),
    proxyfile: t.String(),
    diff: t.String(),
  },
  { title: 'Verdict' },
);

/** Errors that mean "no, this change would be refused". */
const VERDICTS = new Set(['PROXY_REJECTED', 'DOMAIN_TAKEN']);

export type PreviewRoutesDeps = { publisher: Publisher; guard: Guard; bodyLimit: number };

export function previewRoutes({ publisher, guard, bodyLimit }: PreviewRoutesDeps) {
  return new Elysia({ name: 'preview' })
    .use(guard)
    .use(jsonBody(bodyLimit))
    .post(
      '/preview',
      async ({ body }) => {
        const change: Change<unknown> =
          body.op === 'preamble' ? preambleChange(body.config) : changeOf(body);
        const live = proxyfileOf(publisher.current());
        try {
          const { next, refusal } = await publisher.preview(change);
          const proxyfile = proxyfileOf(next);
          return verdict(refusal, proxyfile, unifiedDiff(live, proxyfile));
        } catch (error) {
          if (!(error instanceof Failure) || !VERDICTS.has(error.code)) throw error;
          return verdict(error, live, '');
        }
      },
      {
        body: PreviewBody,
        response: {
          200: Verdict,
          ...refusals(...PUBLISHES, ...BODY, 'NOT_FOUND', 'DOMAIN_TAKEN'),
        },
        detail: about({
          id: 'preview',
          tag: 'Configuration',
          summary: 'Check whether the proxy would accept a change, and what it would look like',
          description: `Nothing is changed. \`diff\` is in the format of \`diff -u\`; instead of more than a few hundred changed lines it says \`${TOO_DIFFERENT}\`.`,
          access: 'write',
          bodies: {
            create: { value: { op: 'create', ...SITE } },
            preamble: { value: { op: 'preamble', config: PREAMBLE } },
          },
          example: {
            valid: false,
            detail: 'line 1: unrecognized directive: reverse_prox',
            hint: 'Did you mean `reverse_proxy`?',
            line: 1,
            proxyfile: PROXYFILE,
            diff: '',
          },
        }),
      },
    );
}

function verdict(refusal: Failure | null, proxyfile: string, diff: string) {
  return {
    valid: refusal === null,
    detail: refusal && (sentenceOf(refusal) ?? refusal.message),
    hint: refusal?.hint ?? null,
    line: refusal?.at.line ?? null,
    proxyfile,
    diff,
  };
}
