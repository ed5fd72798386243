/** `/preview`: what a change would do, checked by the real proxy. */
import { Elysia, t } from 'elysia';
import { createConcurrencyLimit } from '../../shared/async.ts';
import { Failure } from '../../shared/failure.ts';
import { jsonBody } from '../../shared/json-body.ts';
import { caddyfileDiff, TOO_DIFFERENT } from '../caddyfile/diff.ts';
import { PREAMBLE, PROXYFILE, SITE } from '../http/examples.ts';
import { UNDOES } from '../http/refusal-schemas.ts';
import { route } from '../http/route.ts';
import { AnyOperation, createChangeFrom } from '../model/any-operation.ts';
import { agentNamed, renderSet, setFor, vhostsWith } from '../model/applied.ts';
import type { Change } from '../model/changes.ts';
import { newDoubts } from '../model/doubts.ts';
import type { SiteSet } from '../model/vhost.ts';
import type { ApiContext } from './context.ts';
import { Verdict, verdictOf } from './verdict.ts';

/** Errors that mean "no, this change would be refused". */
const VERDICTS = new Set(['PROXY_REJECTED', 'DOMAIN_TAKEN', 'POLICY_TAKEN']);

/** Each takes 20 s at most beside a proxy. */
const TRIALS_WAITING = 2;
const RETRY_AFTER_SECONDS = 20;

export function previewRoutes({ db, publisher, guard, bodyLimit }: ApiContext) {
  const changeFrom = createChangeFrom(db, publisher.current);
  const one = createConcurrencyLimit({
    concurrency: 1,
    maxWaiting: TRIALS_WAITING,
    full: () =>
      new Failure('RATE_LIMITED', 'Another trial is running. Try again later.', {
        retryAfter: RETRY_AFTER_SECONDS,
      }),
  });
  const preview = (change: Change<unknown>, tries: boolean) =>
    tries ? one(() => publisher.preview(change, tries)) : publisher.preview(change);

  return new Elysia({ name: 'preview' })
    .use(guard)
    .use(jsonBody(bodyLimit))
    .post(
      '/preview',
      async ({ body, query: { agent, ...query }, assertOwner }) => {
        const tries = query.try === 'true';
        const current = publisher.current();
        const version = publisher.version(agent);
        const partOf = (set: SiteSet) =>
          renderSet(agent ? setFor(set, agentNamed(agent, set).id) : set, version);
        const live = partOf(current);
        try {
          const change = await changeFrom(body, { agent, assertOwner });
          const { next, refusal, tried } = await preview(change, tries);
          const rendered = partOf(next);
          const concerned = body.op === 'policy' && body.id ? vhostsWith(next, body.id) : [];
          const diff = caddyfileDiff(live, rendered);
          const doubts = newDoubts(current, next, publisher);
          return verdictOf(refusal, rendered.text, diff, concerned, tries ? tried : null, doubts);
        } catch (error) {
          if (!(error instanceof Failure) || !VERDICTS.has(error.code)) throw error;
          return verdictOf(error, live.text, '', [], tries ? [] : null);
        }
      },
      route({
        id: 'preview',
        tag: 'Configuration',
        summary: 'Check if the proxy would accept a change, and show its effect',
        description: `Nothing is changed. \`diff\` is in the format of \`diff -u\`; instead of more than a few hundred changed lines it says \`${TOO_DIFFERENT}\`. With \`try=true\`, the sites are requested as well: an agent starts a separate Caddy on free loopback ports, which signs all certificates itself, and stops it afterwards.`,
        access: 'write',
        query: t.Object({
          agent: t.Optional(
            t.String({
              maxLength: 40,
              description:
                'Shows the result for this agent’s proxy; a preamble becomes its separate one.',
              example: 'local',
            }),
          ),
          try: t.Optional(
            t.Union([t.Literal('true'), t.Literal('false')], {
              description:
                '`true`: shows how the sites would answer, by their checks; without a check, to a request for `/`.',
              example: 'true',
            }),
          ),
        }),
        body: AnyOperation,
        publishes: true,
        refuses: [...UNDOES, 'CHANGED_SINCE', 'RATE_LIMITED'],
        returns: Verdict,
        bodies: {
          create: { value: { op: 'create', ...SITE } },
          preamble: { value: { op: 'preamble', config: PREAMBLE } },
          policy: {
            value: { op: 'policy', id: 1, values: { networks: ['192.168.1.0/24'] } },
          },
          undo: { value: { op: 'undo', id: 2 } },
        },
        example: {
          valid: false,
          detail: 'line 1: unrecognized directive: reverse_prox',
          hint: 'Did you mean `reverse_proxy`?',
          line: 1,
          proxyfile: PROXYFILE,
          diff: '',
          vhosts: [],
        },
      }),
    );
}
