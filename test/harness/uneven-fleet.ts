/**
 * Two agents whose Caddys accept different texts, as two versions do: one lacks the environment variables
 * `NEEDED` and `NEEDED_HASH`, so that a placeholder for them is empty there.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Fleet, startFleet } from './fleet.ts';
import { type Answer, ask, freePort, temporaryFolder } from './stack.ts';

/** The agent whose Caddy lacks the variables; the other one is `local`. */
export const LACKING = 'twin';

/** A preamble that both accept; global options can be put in. */
export const sharedPreamble = (more = ''): string =>
  `{\n\thttp_port {$OWN_HTTP}\n\thttps_port {$OWN_HTTPS}\n\tskip_install_trust${more && `\n\t${more}`}\n}`;

type UnevenFleet = Fleet & {
  /** Sets the common preamble. */
  setShared(config: string): Promise<Answer<Refusal>>;
  /** Sets the preamble of the one that lacks something; null: the common one. */
  setOwn(config: string | null): Promise<Answer<Refusal>>;
  pause(paused: boolean): Promise<Answer>;
  /** What a proxy answers for a host; `401` if it asks for a password. */
  answers(agent: string, host: string): Promise<string>;
};

export type Refusal = {
  code: string;
  message: string;
  detail: string;
  hint?: string;
  agent?: string;
  line?: number;
};

/** Both begin with `sharedPreamble()`. */
export async function startUnevenFleet(): Promise<UnevenFleet> {
  const ports: Record<string, number> = { local: freePort(), [LACKING]: freePort() };
  const folder = temporaryFolder();
  const hash = await Bun.password.hash('secret', { algorithm: 'bcrypt', cost: 4 });
  const file = (name: string, more = '') => {
    const path = join(folder, name);
    writeFileSync(path, `OWN_HTTP=${ports[name]}\nOWN_HTTPS=${freePort()}\n${more}`);
    return { PROXY_ENV_FILE: path };
  };
  const needed = `NEEDED=1s\nNEEDED_HASH=${hash}\n`;
  const fleet = await startFleet([LACKING], file('local', needed), undefined, file(LACKING));
  const uneven: UnevenFleet = {
    ...fleet,
    setShared: (config) => fleet.call('PUT', '/preamble', { config }),
    setOwn: (config) => fleet.call('PUT', `/preamble?agent=${LACKING}`, { config }),
    pause: (paused) => fleet.call('PATCH', `/agents/${LACKING}`, { paused }),
    async answers(agent, host) {
      const url = `http://127.0.0.1:${ports[agent]}/`;
      const { status, text } = await ask(url, { headers: { Host: host } });
      return status === 401 ? '401' : text;
    },
  };
  await uneven.setShared(sharedPreamble());
  await uneven.setOwn(null);
  return uneven;
}
