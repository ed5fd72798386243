/** What the hub asks of a proxy, and what the agent says of it, its disks and its ports. */
import { type Static, t } from 'elysia';
import { integer } from '../integer.ts';
import { HubId, MAX_TERM, Term } from './protocol.ts';

/** PEM: the leaf first, then what signed it; and the key of the leaf. */
export const KeptCertificate = t.Object({ chain: t.String(), key: t.String() });
export type KeptCertificate = Static<typeof KeptCertificate>;

/**
 * `hub` is who asks: unless it may `replace` it, what is for another hub is not replaced, and the
 * answer is 409 OTHER_HUB; so it is if its `term` is lower than one that the agent knows of the same hub.
 * With `keep`, the Caddyfile that is replaced is copied, whatever it is; without `replace`, the agent
 * also warns of the sites that go.
 * `expects` is the digest of the live config that this one replaces; if another one is live, the
 * answer is 409 STALE. `probe` is what to validate instead of the whole text: the same text with
 * lines left empty that need no validation, so that line numbers agree. It may be longer. `deadline` is
 * how many milliseconds the caller waits: after that, the text does not become live. With `partial`,
 * listeners that cannot be opened are left out until they can, instead of refused. `certificates` are those
 * that the proxyfile names (`keptDigests`); the agent may have those that the hub cannot read any more. If
 * one is missing, the answer is 400 INVALID_REQUEST, unless the proxy lacked it for another text already.
 */
export const ReloadRequest = t.Object({
  proxyfile: t.String(),
  hub: t.Optional(HubId),
  term: t.Optional(Term),
  replace: t.Optional(t.Boolean()),
  keep: t.Optional(t.Boolean()),
  expects: t.Optional(t.String()),
  probe: t.Optional(t.String()),
  deadline: t.Optional(integer({ minimum: 0 })),
  partial: t.Optional(t.Boolean()),
  certificates: t.Optional(t.Array(KeptCertificate)),
});
export type ReloadRequest = Static<typeof ReloadRequest>;

/** Requests that may outlive a configuration, of a site that has gone with it, or is guarded only now. */
export const StillOpen = t.Object({
  host: t.String({ description: 'of the site; empty for any' }),
  upstream: t.String(),
  requests: integer({ description: 'open to the upstream when it was replaced' }),
});
export type StillOpen = Static<typeof StillOpen>;

const Closed = t.Object({ address: t.String(), port: integer(), reason: t.String() });
/** A listener that the live configuration does without until it can be opened. */
export type Closed = Static<typeof Closed>;

/** Digests are lower-case hex SHA-256 of a proxyfile's UTF-8 bytes. */
export const ReloadAnswer = t.Object({
  success: t.Literal(true),
  digest: t.String(),
  open: t.Optional(t.Array(StillOpen, { description: 'if there are any' })),
  closed: t.Optional(t.Array(Closed, { description: 'if there are any' })),
  unwritable: t.Optional(
    t.Array(t.String(), { description: 'the files of logs that the proxy cannot write, if any' }),
  ),
});
export type ReloadAnswer = Static<typeof ReloadAnswer>;

/**
 * Asks whether the proxy would accept a text, which is neither loaded nor kept. With `ports` false,
 * its ports may be in use by other programs. With a `probe`, only that is validated, and a reload of both
 * that follows does not check them again.
 */
export const ValidateRequest = t.Object({
  proxyfile: t.String(),
  ports: t.Optional(t.Boolean()),
  probe: t.Optional(t.String()),
});
export const ValidateAnswer = t.Object({ success: t.Literal(true) });

export const AdaptRequest = t.Object({ proxyfile: t.String() });
/** A text as the proxy understands it, for the hub to compare; never shown to people. */
export const AdaptAnswer = t.Object({ config: t.Unknown() });

/** `hub` is who asks, in which `term`; without it, in the first. */
export const StatusQuery = t.Object({
  hub: t.Optional(HubId),
  term: t.Optional(t.Numeric({ minimum: 1, maximum: MAX_TERM, multipleOf: 1 })),
});

export const Disk = t.Object({
  id: t.String({
    description: 'the same for all programs of a machine, until it is started again',
  }),
  holds: t.Array(t.String(), { description: 'for a person', examples: [['the access log']] }),
  free: t.Number({ description: 'the share of it that is free, from 0 to 1' }),
});
export type Disk = Static<typeof Disk>;

export const ProxyStatus = t.Object({
  liveDigest: t.Union([t.String(), t.Null()], {
    description: 'the proxyfile that is live; null if the agent did not load it',
  }),
  fileDigest: t.Union([t.String(), t.Null()], {
    description: 'the proxyfile on disk; null if there is none',
  }),
  foreign: t.Boolean({
    description: 'the proxy serves sites that the agent did not load, or not for the hub that asks',
  }),
  owner: t.Union([t.String(), t.Null()], {
    description: 'the hub whose proxyfile is live, or was last; null if unknown',
  }),
  term: t.Optional(
    integer({ description: 'the highest term that the agent knows of the hub that asks' }),
  ),
  drift: t.Boolean({
    description:
      'the agent loaded the live configuration, but another program changed the proxyfile on disk',
  }),
  checked: t.Optional(
    t.Boolean({
      description:
        'the proxyfile on disk was checked for the program that runs, and the agent has the certificates that it names: false after an upgrade of Caddy, or of the agent to a version that knows more of Caddy, and if their file was lost',
    }),
  ),
  proxy: t.Object({
    running: t.Boolean(),
    version: t.Union([t.String(), t.Null()]),
    managed: t.Optional(t.Boolean({ description: 'whether the agent runs it' })),
  }),
  environment: t.Optional(
    t.Array(t.String(), {
      description: 'the names of the variables in the proxy’s environment, if the agent runs it',
    }),
  ),
  fault: t.Optional(
    t.String({ description: 'why the proxy cannot be started; it is one of the warnings as well' }),
  ),
  restartNeeded: t.Boolean(),
  now: t.Optional(t.String({ description: 'what time it is for the agent, to a hub that asks' })),
  warnings: t.Array(t.String(), { description: 'warnings for the operator' }),
  closed: t.Optional(
    t.Array(Closed, {
      description: 'listeners that the live configuration does without until they can be opened',
    }),
  ),
  disks: t.Optional(t.Array(Disk, { description: 'those that it writes to, to a hub that asks' })),
});
export type ProxyStatus = Static<typeof ProxyStatus>;

/** The ports that visitors and certificate authorities use. */
export const STANDARD_PORTS = { http: 80, https: 443 } as const;

/** What a first start chooses where one of these is taken: the first of so many from here on that is free. */
export const FALLBACK_PORTS = { http: 8080, https: 8443, tried: 20 } as const;

/** A program that listens on a port; `unit` is its systemd service, null if it has none. */
const Holder = t.Object({
  pid: integer(),
  name: t.String(),
  unit: t.Union([t.String(), t.Null()]),
  kept: t.Optional(t.Literal(true, { description: 'a Caddy that an agent of signalbox keeps' })),
});
export type Holder = Static<typeof Holder>;

export const PortState = t.Object({
  port: integer(),
  state: t.UnionEnum(['free', 'own', 'held', 'forbidden'], {
    description: '`own`: the proxy listens on it; `forbidden`: its user may not open ports so low',
  }),
  holders: t.Array(Holder, {
    description:
      'the programs that hold it; empty if they belong to other users, because the agent cannot see those',
  }),
});
export type PortState = Static<typeof PortState>;

export const PortsAnswer = t.Object({ ports: t.Array(PortState) });
export type PortsAnswer = Static<typeof PortsAnswer>;
