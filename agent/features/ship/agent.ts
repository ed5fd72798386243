/** Sends the access log of an agent to a log engine. */
import { messageOf } from '../../../src/shared/async.ts';
import type { AgentCore, AgentPart } from '../../core.ts';
import { collectShipping } from './metrics.ts';
import { PACE } from './pace.ts';
import { readHeaders } from './post.ts';
import { createShipper, type ShipSettings } from './shipper.ts';

/** @param settings null: nothing is shipped @throws Error if others can read the file of headers */
export function agent(core: AgentCore, settings: ShipSettings | null): AgentPart {
  if (settings === null) return { collect: () => collectShipping(null) };
  if (settings.engine.headersFile) checkHeaders(settings.engine.headersFile);
  const shipper = createShipper(core, settings, core.paced('ship', PACE));
  return { collect: () => collectShipping(shipper), begin: shipper.begin, end: shipper.end };
}

/** @throws Error if it is not a file of headers that is closed to other users */
function checkHeaders(file: string): void {
  try {
    readHeaders(file);
  } catch (error) {
    throw new Error(`LOG_SHIP_HEADERS_FILE ${messageOf(error)}`);
  }
}
