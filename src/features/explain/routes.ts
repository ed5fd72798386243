/** `/explanations`: why a site does not work, or that it does. */
import { Elysia, t } from 'elysia';
import { isViewer } from '../../hub/auth/guard.ts';
import type { ApiCore } from '../../hub/core.ts';
import { UNDOES } from '../../hub/http/refusal-schemas.ts';
import { route } from '../../hub/http/route.ts';
import { AnyOperation, createChangeFrom } from '../../hub/model/any-operation.ts';
import type { SiteSet, Vhost } from '../../hub/model/vhost.ts';
import { findVhost } from '../../hub/model/vhost-changes.ts';
import { Failure } from '../../shared/failure.ts';
import { integer } from '../../shared/integer.ts';
import { jsonBody } from '../../shared/json-body.ts';
import { Check } from '../../shared/wire/checks.ts';
import type { Explain, Subject } from './explain.ts';
import { forViewers } from './for-viewers.ts';
import { Explanation } from './schemas.ts';

const path = t.Optional({
  ...Check.properties.path,
  description: 'what a visitor asks for, with its query; `/` if left out',
});

const ExplanationBody = t.Union(
  [
    t.Object({ vhost: integer({ description: 'the id' }), path }, { title: 'ExplainVhost' }),
    t.Object(
      {
        operation: AnyOperation,
        path,
      },
      { title: 'ExplainOperation' },
    ),
  ],
  { title: 'ExplanationRequest' },
);

type Deps = Pick<ApiCore, 'db' | 'publisher' | 'guard' | 'bodyLimit' | 'now'> & {
  explain: Explain;
};

export function explainRoutes({ explain, db, publisher, guard, bodyLimit, now }: Deps) {
  const changeFrom = createChangeFrom(db, publisher.current);

  /** What an operation makes of the first site that it changes. @throws Failure as a preview */
  async function subjectOf(operation: AnyOperation, assertOwner: () => void): Promise<Subject> {
    const change = await changeFrom(operation, { assertOwner });
    const set = publisher.current();
    const plan = await change(set, now());
    if ('done' in plan) {
      const vhost = set.vhosts.find((one) => one === plan.done);
      if (vhost) return { set, vhost, steps: [], operation };
      throw noSite();
    }
    const { next, steps } = plan;
    const vhost = steps.flatMap((step) => changedBy(step, next)).at(0);
    if (!vhost) throw noSite();
    return { set: next, vhost, steps, operation };
  }

  return new Elysia({ name: 'explanations' })
    .use(guard)
    .use(jsonBody(bodyLimit))
    .post(
      '/explanations',
      async ({ body, who, assertOwner }) => {
        const isForViewer = isViewer(who);
        const { path = '/' } = body;
        if (isForViewer) assertForViewers(body, path);
        const subject =
          'operation' in body
            ? await subjectOf(body.operation, assertOwner)
            : stored(body.vhost, publisher.current());
        const judgement = await explain.of(subject, path, (operation) =>
          changeFrom(operation, { assertOwner }),
        );
        return isForViewer ? forViewers(judgement) : judgement.explanation;
      },
      route({
        id: 'explain',
        tag: 'Status',
        summary: 'Explain why a site does not work, or would not',
        description:
          'An agent walks the way of a visitor’s request: the name, the port, the certificate, what guards the site, the connection to the upstream, what that speaks, and what it answers. The site itself is asked at a separate Caddy, so that nothing is in the access log. Each upstream gets at most six connections of at most 5 s, with GET alone. Of several proxies, the first that answers looks. A vhost that is off is explained as if it were on. Viewers get the answer without addresses, and may send neither an `operation` nor a `path` other than `/`: an upstream gets it past the policies of the site. At most 60 explanations a minute.',
        access: 'write',
        needs: 'viewer',
        body: ExplanationBody,
        publishes: true,
        refuses: [...UNDOES, 'CHANGED_SINCE', 'RATE_LIMITED'],
        returns: Explanation,
        bodies: {
          vhost: { value: { vhost: 1, path: '/' } },
          operation: { value: { operation: { op: 'update', id: 1, upstream: '127.0.0.1:8443' } } },
        },
        example: EXAMPLE,
      }),
    );
}

/** @throws Failure NOT_FOUND */
function stored(id: number, set: SiteSet): Subject {
  return { set, vhost: findVhost(set, id), steps: [], operation: null };
}

/** The sites that a step leaves behind, those that it writes first. */
function changedBy(step: Subject['steps'][number], { vhosts }: SiteSet): Vhost[] {
  const ids = new Set(step.vhosts.map(({ id }) => id));
  return vhosts.filter(({ id }) => ids.has(id));
}

const noSite = () =>
  new Failure('INVALID_REQUEST', 'This change concerns no site.', { at: { field: 'operation' } });

/** An upstream is asked for the path without what guards the site. @throws Failure FORBIDDEN_ROLE */
function assertForViewers(body: object, path: string): void {
  if ('operation' in body) throw editorsOnly('have a change explained', 'operation');
  if (path !== '/') throw editorsOnly('choose the path', 'path');
}

const editorsOnly = (what: string, field: string) =>
  new Failure('FORBIDDEN_ROLE', `Only editors and owners may ${what}.`, { at: { field } });

const UPSTREAM = '127.0.0.1:8443';
const EXAMPLE = {
  verdict: 'fails',
  step: 'speak',
  cause: 'SPEAKS_TLS',
  words: `${UPSTREAM} speaks HTTPS, and Caddy speaks plain HTTP to it.`,
  cure: {
    words: `Use https://${UPSTREAM} as the upstream.`,
    operation: { op: 'update', id: 1, upstream: `https://${UPSTREAM}` },
  },
  steps: [
    { step: 'name', ok: true, words: 'app.example.org points to this machine.' },
    { step: 'port', ok: true, words: 'Caddy listens on port 443.' },
    { step: 'certificate', ok: true, words: 'It is valid until 2027-02-18, signed by R11.' },
    { step: 'policy', ok: true, words: 'Visitors get in.' },
    { step: 'connect', ok: true, words: `${UPSTREAM} takes connections.` },
    {
      step: 'speak',
      ok: false,
      words: `${UPSTREAM} speaks HTTPS, and Caddy speaks plain HTTP to it.`,
    },
    { step: 'answer', ok: null, words: 'It answers 400 after 3 ms.' },
  ],
  asked: { status: 400, location: null, ms: 3 },
};
