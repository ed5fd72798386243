/** `/history`: what was stored at a moment, what has changed since, and the way back. */
import { Elysia, t } from 'elysia';
import { authorOf, type Caller, isViewer, recordedAuthorOf } from '../../hub/auth/guard.ts';
import { caddyfileDiff } from '../../hub/caddyfile/diff.ts';
import type { ApiCore } from '../../hub/core.ts';
import { ChangeQuery, demandsOf, flag, wantsReplay } from '../../hub/http/params.ts';
import { route } from '../../hub/http/route.ts';
import { withOutcome } from '../../hub/http/schemas.ts';
import { inputOf, renderSet } from '../../hub/model/applied.ts';
import type { Author } from '../../hub/model/changes.ts';
import { changedVhosts, type SiteSet } from '../../hub/model/vhost.ts';
import { withoutSecrets } from '../../hub/recipes/secrets.ts';
import { Failure } from '../../shared/failure.ts';
import { jsonBody } from '../../shared/json-body.ts';
import { memoize } from '../../shared/memoize.ts';
import { differencesBetween } from './differences.ts';
import { groupsAfter, lastEntryAt, type Net, netsAfter, setBefore } from './moment.ts';
import { type Restored, restoreChange } from './restore.ts';
import {
  DIFFERENCE,
  Differences,
  type Moment,
  MomentView,
  RestoreAnswer,
  RestoreBody,
  Time,
} from './schemas.ts';

export function historyRoutes({
  db,
  publisher,
  guard,
  retries,
  now,
  bodyLimit,
  startReplay,
  withWarnings,
}: ApiCore) {
  function momentAt(text: string) {
    const at = timeOf(text, now());
    const id = lastEntryAt(db, at);
    const nets = netsAfter(db, id);
    const current = publisher.current();
    return { at, id, nets, current, set: setBefore(nets, current) };
  }

  const diffOf = (before: SiteSet, after: SiteSet): string => {
    const version = publisher.version();
    return caddyfileDiff(renderSet(before, version), renderSet(after, version));
  };

  /** The answer that is stored for a retry is the one that is sent. */
  const answerOf = memoize(({ changes, left, published, before, after }: Restored) => ({
    changes,
    diff: diffOf(before, after),
    left,
    published,
  }));

  return new Elysia({ name: 'history', prefix: '/history' })
    .use(guard)
    .use(jsonBody(bodyLimit))
    .get(
      '/',
      ({ query, who }) => {
        const { at, id, set } = momentAt(query.at);
        return { at: at.toISOString(), ...shownTo(who, set), changes: groupsAfter(db, id) };
      },
      route({
        id: 'getHistory',
        tag: 'Changelog',
        summary: 'Get what was stored at a moment',
        description: 'Since the changelog began. 400 for a time before that, or in the future.',
        access: 'read',
        query: t.Object({ at: Time }),
        returns: MomentView,
        example: {
          at: '2026-11-24T18:00:00.000Z',
          sites: [{ id: 1, domain: 'app.example.org', enabled: true, upstream: '127.0.0.1:8000' }],
          policies: [],
          preamble: '',
          agents: [{ name: 'local', preamble: null }],
          certificates: [],
          changes: [12],
        },
      }),
    )
    .get(
      '/diff',
      ({ query: { at, to = 'now' } }) => {
        const { set: from, current } = momentAt(at);
        const until = to === 'now' ? current : momentAt(to).set;
        return { changes: differencesBetween(from, until), diff: diffOf(from, until) };
      },
      route({
        id: 'getHistoryDiff',
        tag: 'Changelog',
        summary: 'Get what was changed between two moments',
        access: 'read',
        needs: 'editor',
        query: t.Object({
          at: Time,
          to: t.Optional(t.Union([t.Literal('now'), Time], { description: '`now`, or a time' })),
        }),
        returns: t.Object({ changes: Differences, diff: RestoreAnswer.properties.diff }),
        example: { changes: [DIFFERENCE], diff: '' },
      }),
    )
    .post(
      '/restore',
      ({ body, query, who, set, request, assertOwner }) =>
        retries.once({ request, who, body, query, set }, 200, async (keep) => {
          const { vhosts, dryRun, replay } = body;
          const partial = query.partial === 'true';
          const isReplayed = wantsReplay({ replay: replay ? 'true' : 'false' }, dryRun === true);
          const { at, nets, current, set: then } = momentAt(body.at);
          assertThere(vhosts, then);
          const isOwner = who.user.role === 'owner';
          const certificate = vhosts ? undefined : deletedCertificate(nets);
          if (isOwner && certificate !== undefined) assertOwner();
          const change = restoreChange({ nets, seen: current, vhosts, partial, isOwner });
          const demands = demandsOf(query);
          if (dryRun) {
            const plan = answerOf((await publisher.rehearse(change, demands)).result);
            return { body: isReplayed ? { ...plan, replay: await startReplay(change) } : plan };
          }
          const applied = await publisher.apply(
            change,
            authorBack(who, at, isOwner ? certificate : undefined),
            {
              ...demands,
              ...keep<Restored>((stored) => ({
                body: withOutcome(stored, answerOf(stored.result)),
              })),
            },
          );
          const answer = withOutcome(applied, answerOf(applied.result));
          return { body: await withWarnings(answer, changedVhosts(applied.result)) };
        }),
      route({
        id: 'restoreHistory',
        tag: 'Changelog',
        summary: 'Bring back what was stored at a moment',
        description:
          'All sites, policies and options of Caddy, and certificates that were deleted since (owners), or only some sites: in one publish, as one group of the changelog, so that one undo takes it back. A certificate that was renewed or uploaded since stays.',
        access: 'write',
        query: t.Object({
          ...ChangeQuery.properties,
          partial: flag('`true`: the rest is brought back if something cannot be what it was.'),
        }),
        body: RestoreBody,
        publishes: true,
        refuses: [
          'NOT_FOUND',
          'NOT_RESTORABLE',
          'STALE',
          'DOMAIN_TAKEN',
          'POLICY_TAKEN',
          'POLICY_IN_USE',
          'CERTIFICATE_TAKEN',
          'SESSION_NOT_FRESH',
        ],
        returns: RestoreAnswer,
        requestHeaders: ['Idempotency-Key'],
        bodies: {
          plan: {
            summary: 'What would change',
            value: { at: '2026-11-24T18:00:00Z', dryRun: true },
          },
        },
        example: { changes: [DIFFERENCE], diff: '', left: [], published: true, group: 12 },
      }),
    );
}

/** @throws Failure INVALID_REQUEST for a time in the future */
function timeOf(text: string, now: Date): Date {
  // An unencoded plus arrives as a space.
  const iso = text.replace(' ', '+').replace(',', '.');
  const hasZone = /T.*(?:Z|[+-]\d\d:?\d\d)$/.test(iso);
  const time = new Date(hasZone || !iso.includes('T') ? iso : `${iso}Z`);
  const isPast = time <= now;
  if (isPast) return time;
  throw new Failure('INVALID_REQUEST', 'That moment is in the future.', { at: { field: 'at' } });
}

/** @throws Failure NOT_FOUND for the id of a site that was not there then */
function assertThere(vhosts: readonly number[] | undefined, { vhosts: then }: SiteSet): void {
  const missing = vhosts?.find((id) => !then.some((vhost) => vhost.id === id));
  if (missing === undefined) return;
  throw new Failure('NOT_FOUND', `There was no site ${missing} at that moment.`, {
    at: { field: 'vhosts' },
  });
}

function shownTo(who: Caller, set: SiteSet): Omit<Moment, 'at' | 'changes'> {
  if (isViewer(who)) {
    const sites = set.vhosts.map(({ id, domain, enabled }) => ({ id, domain, enabled }));
    return { sites, policies: [], preamble: '', agents: [], certificates: [] };
  }
  return {
    sites: set.vhosts.map((vhost) => ({
      id: vhost.id,
      domain: vhost.domain,
      ...inputOf(vhost, set),
      source: vhost.source,
    })),
    policies: set.policies.map(({ id, name, recipe, values, everywhere, source }) => ({
      id,
      name,
      recipe,
      values: withoutSecrets(recipe, values),
      everywhere,
      source,
    })),
    preamble: set.preamble,
    agents: set.agents.map(({ name, preamble }) => ({ name, preamble })),
    certificates: set.certificates.map(({ name }) => name),
  };
}

const deletedCertificate = (nets: readonly Net[]): string | undefined =>
  nets.find(({ kind, action }) => action === 'delete' && kind === 'certificate')?.domain;

/** @param certificate that comes back; the security log has it */
function authorBack(who: Caller, at: Date, certificate: string | undefined): Author {
  const summary = `Back to ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  if (certificate === undefined) return { ...authorOf(who), summary };
  const event = { kind: 'certificate', target: certificate, detail: 'undone' } as const;
  return { ...recordedAuthorOf(who, event), summary };
}
