/** Sends the access log of an agent to a log engine. */
import { messageOf } from '../../../src/shared/async.ts';
import type { AgentCore, AgentPart } from '../../core.ts';
import { collectShipping } from './metrics.ts';
import { PACE } from './pace.ts';
import { type Engine, readHeaders } from './post.ts';
import { createShipper } from './shipper.ts';

/** `placeFile`: where the agent stores how far it has got. */
export type ShipSettings = Readonly<{ engine: Engine; placeFile: string }>;

/** @param settings null: nothing is shipped @throws Error if others can read the file of headers */
export function agent(
  { accessLog: file, paced, warn, log }: AgentCore,
  settings: ShipSettings | null,
): AgentPart {
  if (settings === null) return { collect: () => collectShipping(null) };
  if (settings.engine.headersFile) checkHeaders(settings.engine.headersFile);
  const shipper = createShipper({ file, ...settings, pace: paced('ship', PACE), log, warn });
  return { collect: () => collectShipping(shipper), begin: shipper.begin, end: shipper.close };
}

/** @throws Error if it is not a file of headers that is closed to other users */
function checkHeaders(file: string): void {
  try {
    readHeaders(file);
  } catch (error) {
    throw new Error(`LOG_SHIP_HEADERS_FILE ${messageOf(error)}`);
  }
}
