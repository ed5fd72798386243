/** Reads the settings of the agent that are about a log engine. */
import { join } from 'node:path';
import { formatOf, SHIP_FORMATS } from '../../../agent/features/ship/format.ts';
import { parseHeaders } from '../../../agent/features/ship/post.ts';
import type { ShipSettings } from '../../../agent/features/ship/shipper.ts';
import type { ReadAgentHalf } from '../../feature.ts';
import type { SettingsReader } from '../../program/settings-reader.ts';
import { messageOf } from '../../shared/async.ts';

export const readAgentHalf: ReadAgentHalf = (read) => {
  const settings = readShip(read);
  const headersFile = read.has('LOG_SHIP_HEADERS_FILE') ? [read.path('LOG_SHIP_HEADERS_FILE')] : [];
  return {
    ownPaths: headersFile,
    keepsInDataDir: settings !== null,
    async load() {
      const { agent } = await import('../../../agent/features/ship/agent.ts');
      return (core) => agent(core, settings);
    },
  };
};

/** Null if nothing is shipped. Who else may read the file with the headers is checked by the agent. */
export function readShip(read: SettingsReader): ShipSettings | null {
  const headers = read.file('LOG_SHIP_HEADERS_FILE');
  const given = read.has('LOG_SHIP_FORMAT') ? read.oneOf('LOG_SHIP_FORMAT', SHIP_FORMATS) : null;
  try {
    if (headers !== null) parseHeaders(headers);
  } catch (error) {
    read.fault('LOG_SHIP_HEADERS_FILE', messageOf(error));
  }
  if (!read.has('LOG_SHIP_URL')) {
    for (const name of ['LOG_SHIP_FORMAT', 'LOG_SHIP_HEADERS_FILE'] as const) {
      if (read.has(name)) read.fault(name, 'requires LOG_SHIP_URL');
    }
    return null;
  }
  const url = read.url('LOG_SHIP_URL');
  if (!URL.canParse(url)) return null;
  const { username, password } = new URL(url);
  if (username !== '' || password !== '') {
    read.fault('LOG_SHIP_URL', 'must not contain a password: use LOG_SHIP_HEADERS_FILE');
  }
  const headersFile = read.has('LOG_SHIP_HEADERS_FILE') ? read.path('LOG_SHIP_HEADERS_FILE') : null;
  const engine = { url, format: given ?? formatOf(url), headersFile };
  return { engine, placeFile: join(read.dataDir, 'log-ship.json') };
}
