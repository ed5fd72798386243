/** `/backups`: those in `BACKUP_DIR`; makes another one, and restores one. */
import { Elysia, type Static, t } from 'elysia';
import { recordSecurity } from '../../hub/auth/security-log.ts';
import type { ApiCore } from '../../hub/core.ts';
import { route } from '../../hub/http/route.ts';
import { Timestamp } from '../../hub/http/schemas.ts';
import { integer } from '../../shared/integer.ts';
import { jsonBody } from '../../shared/json-body.ts';
import { isOfHub } from './folder.ts';
import type { Backups } from './keeper.ts';
import { KEY_STATES } from './packed-key.ts';

const BackupView = t.Object(
  {
    name: t.String({ description: 'of its file' }),
    madeAt: Timestamp,
    bytes: integer(),
    key: t.UnionEnum([...KEY_STATES], {
      description:
        'the key of the hub in it: `sealed` by a passphrase, in `clear`, or `none` if the hub had none',
    }),
    version: integer({ description: 'of the database’s schema' }),
    own: t.Boolean({ description: 'whether this hub made it' }),
  },
  { title: 'Backup' },
);
export type BackupView = Static<typeof BackupView>;

const BackupsView = t.Object(
  {
    enabled: t.Boolean({ description: 'whether BACKUP_DIR is set' }),
    keep: t.Union([integer(), t.Null()]),
    sealed: t.Boolean({ description: 'whether BACKUP_PASSPHRASE is set' }),
    succeededAt: t.Union([Timestamp, t.Null()], {
      description: 'when one was written last, or the newest one found to have the same contents',
    }),
    failure: t.Union([t.Object({ since: Timestamp, reason: t.String() }), t.Null()]),
    notRestored: t.Union([t.String(), t.Null()], {
      description: 'why the last restore came to nothing after its 202; null: it did not',
    }),
    unreadable: t.Union([t.String(), t.Null()], {
      description: 'why the backups cannot be listed; null: they can',
    }),
    backups: t.Array(BackupView, { description: 'the newest first, also those of other hubs' }),
  },
  { title: 'Backups' },
);
export type BackupsView = Static<typeof BackupsView>;

const Restore = t.Object(
  {
    passphrase: t.Optional(
      t.String({ minLength: 1, maxLength: 1024, description: 'if it is not BACKUP_PASSPHRASE' }),
    ),
    withoutKey: t.Optional(
      t.Boolean({ description: 'whether to do without a key that cannot be opened' }),
    ),
  },
  { title: 'RestoreBackup' },
);

const Restored = t.Object(
  { restarting: t.Literal(true), sites: integer(), accounts: integer() },
  { title: 'RestoredBackup' },
);

const iso = (at: number) => new Date(at).toISOString();

export function backupRoutes(api: ApiCore, backups: Backups) {
  const { publisher, openWrites, restart, hub, now, guard, bodyLimit } = api;
  async function view(): Promise<BackupsView> {
    const { settings } = backups;
    const { succeededAt = null, failure = null, notRestored = null } = backups.state() ?? {};
    const known = {
      enabled: settings !== null,
      keep: settings?.keep ?? null,
      sealed: (settings?.passphrase ?? null) !== null,
      succeededAt: succeededAt === null ? null : iso(succeededAt),
      failure: failure && { since: iso(failure.since), reason: failure.reason },
      notRestored,
    };
    if (!settings) return { ...known, unreadable: null, backups: [] };
    try {
      const all = await backups.list();
      const shown = all.map((one) => ({
        ...one,
        madeAt: one.madeAt.toISOString(),
        own: isOfHub(one, hub),
      }));
      return { ...known, unreadable: null, backups: shown };
    } catch (error) {
      return { ...known, unreadable: (error as Error).message, backups: [] };
    }
  }

  return new Elysia({ name: 'backups', prefix: '/backups' })
    .use(guard)
    .get(
      '',
      view,
      route({
        id: 'listBackups',
        tag: 'Configuration',
        summary: 'List the backups in BACKUP_DIR',
        access: 'session',
        needs: 'owner',
        returns: BackupsView,
        example: EXAMPLE,
      }),
    )
    .post(
      '',
      async ({ request, server }) => {
        server?.timeout(request, 0);
        await backups.make();
        return view();
      },
      route({
        id: 'makeBackup',
        tag: 'Configuration',
        summary: 'Make a backup now',
        description: 'Nothing is written if the newest backup has the same contents.',
        access: 'session',
        needs: 'owner',
        refuses: ['STOPPING'],
        returns: BackupsView,
        example: EXAMPLE,
      }),
    )
    .use(jsonBody(bodyLimit))
    .post(
      '/:name/restore',
      async ({ params, body, set, request, server, who, assertAllowed }) => {
        server?.timeout(request, 0);
        const { passphrase, withoutKey = false } = body;
        const how = { passphrase, withoutKey, assertAllowed };
        const staged = await backups.stage(params.name, how);
        // What is answered before the 202 is in the database that is replaced; nothing is answered after it and gone.
        await publisher.end();
        await publisher.drained();
        await openWrites.alone();
        const event = { kind: 'restore', target: params.name } as const;
        restart(staged, (how) => {
          if ('db' in how) recordSecurity(how.db, now(), who, event);
          else backups.notRestored(how.reason);
        });
        set.status = 202;
        const { sites, accounts } = staged.contents;
        return { restarting: true as const, sites, accounts };
      },
      route({
        id: 'restoreBackup',
        tag: 'Configuration',
        summary: 'Replace the database with a backup',
        description:
          'The hub restarts, everyone has to sign in again, and the sites of the backup are published. The previous database is kept in DATA_DIR. A backup that is damaged or from a newer version is refused, and nothing has changed.',
        access: 'session',
        needs: 'owner',
        fresh: true,
        params: t.Object({
          name: t.String({ description: 'of its file', example: EXAMPLE.backups[0]?.name }),
        }),
        body: Restore,
        refuses: ['STOPPING'],
        status: 202,
        returns: Restored,
        bodies: { plain: { summary: 'With BACKUP_PASSPHRASE, or none', value: {} } },
        example: { restarting: true, sites: 12, accounts: 2 },
      }),
    );
}

const EXAMPLE: BackupsView = {
  enabled: true,
  keep: 14,
  sealed: true,
  succeededAt: '2026-11-24T10:52:01.000Z',
  failure: null,
  notRestored: null,
  unreadable: null,
  backups: [
    {
      name: 'signalbox-1f0c9e2a-2026-11-24T10-52-00-000Z.db',
      madeAt: '2026-11-24T10:52:00.000Z',
      bytes: 204_800,
      key: 'sealed',
      version: 9,
      own: true,
    },
  ],
};
