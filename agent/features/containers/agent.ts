/** What an agent says of the containers beside its proxy. */
import { hostname, type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { Elysia } from 'elysia';
import { CONTAINERS } from '../../../src/features/containers/wire.ts';
import { jsonText } from '../../../src/shared/http.ts';
import type { AgentCore, AgentPart } from '../../core.ts';
import { type ContainerSettings, createContainers } from './containers.ts';
import { PACE } from './pace.ts';

export function agent({ paced, log }: AgentCore, settings: ContainerSettings): AgentPart {
  const containers = createContainers({
    settings,
    place: () => ({ hostname: hostname(), interfaces: ownInterfaces() }),
    pace: paced('containers', PACE),
    log,
  });
  return {
    // Text, as it was when it was compared with the one before: its schema is what the hub checks.
    routes: new Elysia({ name: 'containers' }).get(
      CONTAINERS.path,
      async ({ query, request }) => jsonText(await containers.answer(query.after, request.signal)),
      { query: CONTAINERS.query },
    ),
    begin: containers.begin,
    end: containers.close,
  };
}

/** None if a sandbox forbids to list them, which takes netlink. */
function ownInterfaces(): NetworkInterfaceInfo[] {
  try {
    return Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  } catch {
    return [];
  }
}
