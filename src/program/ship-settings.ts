/** Reads the settings of the log engine that gets the access log. */
import { join } from 'node:path';
import { formatOf, SHIP_FORMATS } from '../../agent/logs/ship/format.ts';
import type { Engine } from '../../agent/logs/ship/post.ts';
import { parseHeaders } from '../../agent/logs/ship/post.ts';
import { messageOf } from '../shared/async.ts';
import type { SettingsReader } from './settings-reader.ts';

/** `placeFile`: where the agent stores how far it has got. */
export type ShipSettings = Readonly<{ engine: Engine; placeFile: string }>;

/** Null if nothing is shipped. Who else may read the file with the headers is checked by the agent. */
export function readShip(read: SettingsReader, dataDir: string): ShipSettings | null {
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
  return { engine, placeFile: join(dataDir, 'log-ship.json') };
}
