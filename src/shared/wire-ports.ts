/** What the agent tells the hub about ports 80 and 443. */
import { type Static, t } from 'elysia';

/** The ports that visitors and certificate authorities use. */
export const STANDARD_PORTS = { http: 80, https: 443 } as const;

/** A program that listens on a port; `unit` is its systemd service, null if it has none. */
const Holder = t.Object({
  pid: t.Integer(),
  name: t.String(),
  unit: t.Union([t.String(), t.Null()]),
});
export type Holder = Static<typeof Holder>;

export const PortState = t.Object({
  port: t.Integer(),
  state: t.Union([t.Literal('free'), t.Literal('own'), t.Literal('held'), t.Literal('forbidden')], {
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
