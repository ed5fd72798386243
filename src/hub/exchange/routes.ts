/** The preamble, import, export, restore and preview. */
import { createTwoFilesPatch } from 'diff';
import { Elysia, t } from 'elysia';
import { Failure, sentenceOf } from '../../shared/failure.ts';
import { jsonBody } from '../../shared/http.ts';
import { authorOf, type Guard } from '../auth/guard.ts';
import { render } from '../caddyfile/render.ts';
import { ReplaceQuery, replaces } from '../http/params.ts';
import { BODY, PUBLISHES, READS, refusals } from '../http/refusal-schemas.ts';
import { Timestamp } from '../http/schemas.ts';
import { type Change, findVhost, preambleChange } from '../publish/changes.ts';
import { changeOf, Operation } from '../publish/operation.ts';
import type { Publisher } from '../publish/publisher.ts';
import type { SiteSet } from '../publish/vhost.ts';
import type { Importer } from './importer.ts';
import * as operations from './operations.ts';
import { ImportAnswer, ImportBody } from './schemas.ts';
import { restoreChange, Snapshot, snapshotOf } from './snapshot.ts';

export type ExchangeRoutesDeps = {
  publisher: Publisher;
  importer: Importer;
  /** When the preamble was last changed. */
  preambleUpdatedAt: () => Date;
  guard: Guard;
  bodyLimit: number;
  /** For what holds a whole configuration. */
  wholeLimit: number;
};

const PreambleView = t.Object({ config: t.String(), updatedAt: Timestamp }, { title: 'Preamble' });
const PreambleBody = t.Object({ config: t.String() }, { title: 'PreambleChange' });

const PreviewBody = t.Union([
  Operation,
  t.Object({ op: t.Literal('preamble'), config: t.String() }, { title: 'ChangePreamble' }),
]);

const textOf = (set: SiteSet) => render(set.preamble, set.vhosts).text;

export function exchangeRoutes(deps: ExchangeRoutesDeps) {
  const { publisher, importer, preambleUpdatedAt, guard, bodyLimit, wholeLimit } = deps;
  const viewPreamble = () => ({
    config: publisher.current().preamble,
    updatedAt: preambleUpdatedAt().toISOString(),
  });

  const small = new Elysia({ name: 'exchange-small' })
    .use(guard)
    .get('/preamble', viewPreamble, {
      response: { 200: PreambleView, ...refusals(...READS) },
      detail: operations.getPreamble,
    })
    .get(
      '/proxyfile',
      ({ query, set }) => {
        set.headers['content-type'] = 'text/plain; charset=utf-8';
        const all = publisher.current();
        if (!query.vhost) return textOf(all);
        const vhost = findVhost(all, Number(query.vhost));
        return textOf({ ...all, preamble: '', vhosts: [{ ...vhost, enabled: true }] });
      },
      {
        query: t.Object({ vhost: t.Optional(t.String({ pattern: '^([1-9][0-9]{0,14})?$' })) }),
        response: { 200: t.String(), ...refusals(...READS, 'NOT_FOUND') },
        detail: operations.getProxyfile,
      },
    )
    .get('/export', () => snapshotOf(publisher.current()), {
      response: { 200: Snapshot, ...refusals(...READS) },
      detail: operations.exportConfiguration,
    })
    .use(jsonBody(bodyLimit))
    .put(
      '/preamble',
      async ({ body, query, who }) => {
        await publisher.apply(preambleChange(body.config), authorOf(who), replaces(query));
        return viewPreamble();
      },
      {
        query: ReplaceQuery,
        body: PreambleBody,
        response: { 200: PreambleView, ...refusals(...PUBLISHES, ...BODY) },
        detail: operations.updatePreamble,
      },
    )
    .post(
      '/preview',
      async ({ body }) => {
        const change: Change<unknown> =
          body.op === 'preamble' ? preambleChange(body.config) : changeOf(body);
        const live = textOf(publisher.current());
        try {
          const { next, refusal } = await publisher.preview(change);
          const proxyfile = textOf(next);
          return verdict(refusal, proxyfile, unified(live, proxyfile));
        } catch (error) {
          const judged = error instanceof Failure && JUDGEMENTS.has(error.code);
          if (!judged) throw error;
          return verdict(error, live, '');
        }
      },
      {
        body: PreviewBody,
        response: {
          200: t.Object(
            {
              valid: t.Boolean(),
              detail: t.Union([t.String(), t.Null()]),
              line: t.Union([t.Integer(), t.Null()]),
              proxyfile: t.String(),
              diff: t.String(),
            },
            { title: 'Verdict' },
          ),
          ...refusals(...PUBLISHES, ...BODY, 'NOT_FOUND', 'DOMAIN_TAKEN'),
        },
        detail: operations.preview,
      },
    );

  const whole = new Elysia({ name: 'exchange-whole' })
    .use(guard)
    .use(jsonBody(wholeLimit))
    .post(
      '/import',
      ({ body, who }) =>
        importer.run(body.proxyfile, { dryRun: body.dryRun ?? false, author: authorOf(who) }),
      {
        body: ImportBody,
        response: {
          200: ImportAnswer,
          ...refusals(...PUBLISHES, ...BODY, 'DOMAIN_TAKEN', 'IMPORT_DIFFERS'),
        },
        detail: operations.importProxyfile,
      },
    )
    .post(
      '/restore',
      async ({ body, query, who }) => {
        const replace = replaces(query);
        await publisher.apply(restoreChange(body, replace), authorOf(who), replace);
        return snapshotOf(publisher.current());
      },
      {
        query: ReplaceQuery,
        body: Snapshot,
        response: {
          200: Snapshot,
          ...refusals(...PUBLISHES, ...BODY, 'DOMAIN_TAKEN', 'NOT_EMPTY'),
        },
        detail: operations.restoreConfiguration,
      },
    );

  return new Elysia({ name: 'exchange' }).use(small).use(whole);
}

/** Refusals that are the answer to "would this work?". */
const JUDGEMENTS = new Set(['PROXY_REJECTED', 'DOMAIN_TAKEN']);

function verdict(refusal: Failure | null, proxyfile: string, diff: string) {
  return {
    valid: refusal === null,
    detail: refusal && (sentenceOf(refusal) ?? refusal.message),
    line: refusal?.at.line ?? null,
    proxyfile,
    diff,
  };
}

/** As `diff -u` prints it; empty where nothing differs. */
function unified(live: string, next: string): string {
  return live === next ? '' : createTwoFilesPatch('live', 'preview', live, next);
}
