/** `/ports/standard`: the proxy's way to ports 80 and 443. */
import { Elysia, t } from 'elysia';
import { authorOf } from '../auth/guard.ts';
import { agentQuery, ChangeQuery, demandsOf } from '../http/params.ts';
import { route } from '../http/route.ts';
import { moveToStandard } from '../publish/ports.ts';
import { Serving } from '../publish/serving.ts';
import type { ApiContext } from './context.ts';

/** Null if the proxy cannot be asked. */
export const ServingOrNull = t.Union([Serving, t.Null()], {
  description:
    'the proxy’s ports and why they are not 80 and 443; null if the agent or the proxy does not respond, or this hub does not manage the proxy’s sites',
});

const Moved = t.Object({ serving: ServingOrNull }, { title: 'Moved' });

/** An example. */
export const SERVING: Serving = {
  http: { port: 80, wanted: 80, reason: null, blocked: false },
  https: { port: 443, wanted: 443, reason: null, blocked: false },
  cure: null,
};

export function portsRoutes({ guard, readPorts, publisher }: ApiContext) {
  return new Elysia({ name: 'ports', prefix: '/ports' }).use(guard).post(
    '/standard',
    async ({ query, who }) => {
      const { agent } = query;
      await moveToStandard(publisher, authorOf(who), { ...demandsOf(query), agent });
      return { serving: await readPorts(agent) };
    },
    route({
      id: 'moveToStandardPorts',
      tag: 'Status',
      summary: 'Move the proxy to ports 80 and 443',
      description:
        'Sets `http_port` and `https_port` in the preamble. You can undo this change. It is refused while another program holds one of the ports.',
      access: 'write',
      needs: 'owner',
      query: t.Composite([
        ChangeQuery,
        agentQuery({
          description:
            'Moves only the proxy of this agent, in a separate preamble; without it, all proxies with the common one.',
        }),
      ]),
      publishes: true,
      refuses: ['PORT_UNAVAILABLE'],
      returns: Moved,
      example: { serving: SERVING },
    }),
  );
}
