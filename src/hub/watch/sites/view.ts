/** The state of a vhost as the API shows it, and an example for the API's description. */
import { type Static, t } from 'elysia';
import { integer } from '../../../shared/integer.ts';
import {
  NullableAuthority,
  SiteCertificate,
  SiteError,
  SiteUpstream,
} from '../../../shared/wire/sites.ts';
import { Timestamp, Warning } from '../../http/schemas.ts';
import { NullableAdvice } from './advice.ts';

const LastError = t.Union([
  t.Composite([
    t.Object({ name: t.String({ description: 'the host name it occurred at' }) }),
    t.Omit(SiteError, ['kind']),
  ]),
  t.Null(),
]);

const FailingView = t.Object(
  {
    since: Timestamp,
    cause: t.String({ description: 'as of an explanation' }),
    words: t.String({ description: 'for people' }),
  },
  {
    description:
      'only if the last explanation found that it fails for everyone, and nothing has spoken against that since',
  },
);
export type FailingView = Static<typeof FailingView>;

/** What one proxy knows of it. */
const known = {
  problem: t.Union([t.String(), t.Null()], {
    description: 'why the proxy does not serve it, or serves only some of its addresses',
  }),
  addresses: t.Array(
    t.Object({
      name: t.String({ description: 'host name; empty for any' }),
      port: integer(),
      served: t.Boolean({ description: 'in the proxy’s live configuration' }),
      tls: t.Boolean(),
      certificate: t.Union([
        t.Composite([
          SiteCertificate,
          t.Object({
            daysLeft: integer({ description: 'whole days; negative if it has expired' }),
            overdue: t.Boolean({
              description:
                'expires within 14 days, and is not renewed automatically or should have been by now',
            }),
          }),
        ]),
        t.Null(),
      ]),
      reason: t.Union([t.String(), t.Null()], { description: 'why there is no certificate' }),
      checkedAt: t.Union([t.String(), t.Null()], {
        description: 'when the agent last asked the proxy for the certificate; null if it has not',
      }),
      automated: t.Boolean({
        description: 'the proxy obtains and renews the certificate automatically',
      }),
      authority: NullableAuthority,
      advice: NullableAdvice,
    }),
    { description: 'where the vhost is reached, in the order of its block' },
  ),
  upstreams: t.Array(SiteUpstream),
  check: t.Union([t.Object({ failingSince: Timestamp, reason: t.String() }), t.Null()], {
    description:
      'since when it does not answer as its check requires, and what came instead: wrong twice in a row, until it is right twice in a row; null if it does, is not asked between changes, or was not asked often enough since the hub started',
  }),
  failing: t.Optional(FailingView),
  warnings: t.Array(Warning, { description: 'problems that a visitor would notice now' }),
  errors: t.Object(
    { acme: LastError, upstream: LastError },
    { description: 'the last error of each kind' },
  ),
};

export const VhostState = t.Object(
  {
    id: integer(),
    domain: t.String(),
    enabled: t.Boolean(),
    ...known,
    agents: t.Optional(
      t.Array(t.Object({ name: t.String(), ...known }), {
        description:
          'only if the hub has several agents: the report of each agent that the vhost is placed on; the other fields are the worst of them',
      }),
    ),
    checking: t.Optional(
      t.Literal(true, {
        description:
          'whether an agent that it is placed on has not looked at its upstreams or certificates yet, as after a start or a change',
      }),
    ),
    downOn: t.Optional(
      t.Array(t.String(), {
        description:
          'the agents whose proxies do not serve it, or not on all of its addresses, and those in `missing`; only if there are any',
      }),
    ),
    missing: t.Optional(
      t.Array(t.String(), {
        description:
          'those among the agents it is placed on that are unreachable, so that its proxy may well serve it, or whose proxy is; if any',
      }),
    ),
  },
  { title: 'VhostState' },
);
export type VhostState = Static<typeof VhostState>;

export const STATE = {
  id: 1,
  domain: 'app.example.org',
  enabled: true,
  problem: null,
  addresses: [
    {
      name: 'app.example.org',
      port: 443,
      served: true,
      tls: true,
      certificate: {
        issuer: "R11 (Let's Encrypt)",
        names: ['app.example.org'],
        notBefore: '2026-11-01T00:00:00.000Z',
        notAfter: '2027-01-30T00:00:00.000Z',
        fingerprint: 'AB:CD:EF:01',
        daysLeft: 70,
        overdue: false,
      },
      reason: null,
      checkedAt: '2026-11-20T18:00:00.000Z',
      automated: true,
      authority: 'public',
      advice: null,
    },
  ],
  upstreams: [
    {
      address: '127.0.0.1:8000',
      up: true,
      since: '2026-11-20T12:00:00.000Z',
      lastChecked: '2026-11-20T18:00:00.000Z',
      latencyMs: 0.4,
      unknown: null,
      requests: 0,
      fails: 0,
      error: null,
    },
  ],
  check: null,
  warnings: [],
  errors: { acme: null, upstream: null },
};
