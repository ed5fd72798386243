/** The answer of a preview: whether the proxy would accept the change, and what it would look like. */
import { t } from 'elysia';
import { type Failure, sentenceOf } from '../../shared/failure.ts';
import { ErrorBody } from '../../shared/wire.ts';
import type { Vhost } from '../publish/vhost.ts';

export const Verdict = t.Object(
  {
    valid: t.Boolean(),
    detail: t.Union([t.String(), t.Null()]),
    hint: t.Union([t.String(), t.Null()], { description: 'one sentence on how to fix it' }),
    line: t.Union([t.Integer(), t.Null()]),
    policy: ErrorBody.properties.policy,
    proxyfile: t.String(),
    diff: t.String(),
    vhosts: t.Array(t.Object({ id: t.Integer(), domain: t.String() }), {
      description: 'those that a change of a policy concerns; none for other changes',
    }),
  },
  { title: 'Verdict' },
);

/**
 * @param refusal null: the change would be accepted
 * @param diff in the format of `diff -u`
 * @param vhosts those that a change of a policy concerns
 */
export function verdictOf(
  refusal: Failure | null,
  proxyfile: string,
  diff: string,
  vhosts: readonly Vhost[] = [],
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
  };
}
