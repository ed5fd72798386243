/** The answer of a preview: whether the proxy would accept the change, and what it would look like. */
import { t } from 'elysia';
import { type Failure, sentenceOf } from '../../shared/failure.ts';
import { integer } from '../../shared/integer.ts';
import { ErrorBody } from '../../shared/wire/protocol.ts';
import { Warning, warned } from '../http/schemas.ts';
import type { Vhost } from '../model/vhost.ts';
import { MOST_VHOSTS, type Tried } from '../publish/preview.ts';

export const Verdict = t.Object(
  {
    valid: t.Boolean(),
    detail: t.Union([t.String(), t.Null()]),
    hint: t.Union([t.String(), t.Null()], { description: 'one sentence on how to fix it' }),
    line: t.Union([integer(), t.Null()]),
    policy: ErrorBody.properties.policy,
    proxyfile: t.String(),
    diff: t.String(),
    vhosts: t.Array(t.Object({ id: integer(), domain: t.String() }), {
      description: 'the vhosts affected by a change of a policy; none for other changes',
    }),
    warnings: t.Optional(
      t.Array(Warning, {
        description: 'what the proxy accepts in the vhosts, and can hardly be meant; if anything',
      }),
    ),
    tried: t.Optional(
      t.Array(
        t.Object({
          vhost: t.Object({
            id: t.Union([integer(), t.Null()], { description: 'null: it would be created' }),
            domain: t.String(),
          }),
          agent: t.Optional(t.String({ description: 'if there are several' })),
          passed: t.Union([t.Boolean(), t.Null()], {
            description:
              'whether its check would pass; without a check, `false` if there was no response or one of 502, 503 or 504, and otherwise `null`',
          }),
          status: t.Union([integer(), t.Null()], { description: 'null: there was no response' }),
          detail: t.String({ description: 'the response in words, for people' }),
        }),
        {
          description: `with \`try=true\`: how the enabled vhosts of the change would answer, at most ${MOST_VHOSTS} of them; none if the change would be refused`,
        },
      ),
    ),
  },
  { title: 'Verdict' },
);

/**
 * @param refusal null: the change would be accepted
 * @param diff in the format of `diff -u`
 * @param vhosts those that a change of a policy concerns
 * @param tried null if they were not to be tried
 * @param doubts about the vhosts of the change
 */
export function verdictOf(
  refusal: Failure | null,
  proxyfile: string,
  diff: string,
  vhosts: readonly Vhost[] = [],
  tried: readonly Tried[] | null = null,
  doubts: readonly Warning[] = [],
) {
  const policy = refusal?.at.policy;
  return {
    valid: refusal === null,
    detail: refusal && (sentenceOf(refusal) ?? refusal.message),
    hint: refusal?.hint ?? null,
    line: refusal?.at.line ?? null,
    ...(policy && { policy: { name: policy.name, ...(policy.field && { field: policy.field }) } }),
    proxyfile,
    diff,
    vhosts: vhosts.map(({ id, domain }) => ({ id, domain })),
    ...warned([...doubts]),
    ...(tried && { tried: [...tried] }),
  };
}
