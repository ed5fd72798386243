/** The trials of a replay, and the echo behind them. */
import type { Json } from '../../../src/shared/json.ts';
import type { CommandDeps } from '../../caddy/config/adapt.ts';
import { freePorts } from '../../caddy/ports/ports.ts';
import type { StartTrial } from '../../caddy/process/trial-caddy.ts';
import { ANY_NAME } from '../../sites/checks/trial-config.ts';
import { identityHeaders } from './config/needs.ts';
import type { Stage as Played } from './config/routes.ts';
import { createSide, type Place, portsOf, type Side } from './config/side.ts';
import { createConnection, type Peer } from './connection.ts';
import { startEcho } from './echo.ts';

/** What is tried. */
export type Scenes = {
  start: StartTrial;
  /** As adapted; in a replay: what is live, and what would be. */
  configs: readonly Json[];
  /** How the Caddies but the first are run; by default as that one. */
  commandsAfter: CommandDeps | undefined;
  /** Whether Caddy can be told a visitor's address. */
  knowsAddresses: boolean;
};

export type Stage = {
  /** One for each configuration. */
  sides: readonly Side[];
  /** By which trials and echo say what happened. */
  header: string;
  /** The line that lets a request in. */
  pass: string;
  /** The port that a configuration has for a trial's; the same if it is none. */
  shownPort(port: string): string;
  /** Whether sign-in services let visitors in from now on. */
  signIn(isSignedIn: boolean): void;
  /** A trial that is gone gives no response to anything. @throws why nothing can be compared */
  assertAlive(place: Place): Promise<void>;
  /** Ends the echo. */
  end(): Promise<void>;
};

/** Visitors come first: Go uses one core, and collects garbage rather than take more than it was given. */
const smallFor = (json: string): Record<string, string> => ({
  GOMAXPROCS: '1',
  GOMEMLIMIT: String(SMALL + PER_BYTE * json.length),
});
const SMALL = 64 * 1024 * 1024;
/** A configuration takes this many times its length as JSON: 10,000 sites about 100 MiB. */
const PER_BYTE = 30;
const NICENESS = '10';
/** Caddy refuses it by itself, whatever its sites are. */
const WITHOUT_HOST = Buffer.from('GET / HTTP/1.1\r\n\r\n');
const GONE = 'A Caddy of the replay ended early, maybe because memory is short.';
/** Somebody, where the address does not matter (RFC 5737). */
const ANYBODY = '192.0.2.1';

/** How a place is asked. @param as the visitor's address; null: any */
export const peerOf = (place: Place, as: string | null, knowsAddresses: boolean): Peer => ({
  ...place,
  as: knowsAddresses ? (as ?? ANYBODY) : null,
});

async function isOpen(peer: Peer): Promise<boolean> {
  const connection = createConnection(peer);
  const found = await connection.open();
  connection.close();
  return found;
}

/**
 * @param hosts those that are asked for; null: any
 * @param memory bytes that each trial may use
 * @returns once all answer
 * @throws as `start`; if there are no free ports
 */
export async function startStage(
  { start, configs, commandsAfter, knowsAddresses }: Scenes,
  { hosts, memory }: { hosts: readonly string[] | null; memory: number },
  numberOf: Played['numberOf'],
): Promise<Stage> {
  const header = `Signalbox-${crypto.randomUUID().slice(0, 8)}`;
  const secret = crypto.randomUUID();
  const echo = await startEcho(header, identityHeaders([...configs]));
  const ports = new Map<number, number>();
  const configured = [...new Set(configs.flatMap(portsOf))];
  const free = freePorts(configured.length);
  for (const [at, port] of configured.entries()) ports.set(port, free[at] ?? 0);
  const shown = new Map([...ports].map(([port, trial]) => [String(trial), String(port)]));
  const addresses = new Map<string, number>();
  const common = {
    hosts,
    header,
    secret,
    knowsAddresses,
    numberOf,
    echo: echo.address,
    portFor: (port: number) => ports.get(port) ?? 0,
  };
  // The same ports on all sides, so that no placeholder makes a difference: the addresses differ.
  const sides = configs.map((config, at) =>
    createSide(config, {
      ...common,
      addressFor(host) {
        const number = addresses.get(host) ?? addresses.size;
        addresses.set(host, number);
        return `127.${101 + at}.${Math.floor(number / 250)}.${(number % 250) + 1}`;
      },
    }),
  );

  async function play({ apps, places }: Side, commands?: CommandDeps): Promise<void> {
    const nice = Bun.which('nice');
    const { until } = await start({
      apps,
      commands,
      memory,
      names: [ANY_NAME],
      env: smallFor(JSON.stringify(apps)),
      before: nice === null ? [] : [nice, '-n', NICENESS],
    });
    for (const place of places) await until(() => isOpen(peerOf(place, null, knowsAddresses)));
  }

  try {
    // One after the other: a core is left for visitors.
    for (const [at, side] of sides.entries()) {
      await play(side, at === 0 ? undefined : commandsAfter);
    }
  } catch (error) {
    await echo.close();
    throw error;
  }

  return {
    sides,
    header,
    pass: `${header}: ${secret}`,
    end: echo.close,
    shownPort: (port) => shown.get(port) ?? port,
    signIn: echo.signIn,
    async assertAlive(place) {
      const connection = createConnection(peerOf(place, null, knowsAddresses));
      const refusal = await connection.ask(WITHOUT_HOST, true);
      connection.close();
      if (refusal === null) throw GONE;
    },
  };
}
