/** Asks sites for their icons, for a hub. */
import { Elysia } from 'elysia';
import { ICON, IconAnswer, IconRequest } from '../../../src/features/icons/wire.ts';
import { jsonBody } from '../../../src/shared/json-body.ts';
import { AgentErrorBody } from '../../../src/shared/wire/protocol.ts';
import { reachable } from '../../caddy/admin.ts';
import type { AgentHalf } from '../../core.ts';
import { placesIn } from '../../sites/checks/checks.ts';
import { fetchIcon, SILENT } from './fetch-icon.ts';

export const agent: AgentHalf = ({ live, userAgent, bodyLimit }) => ({
  routes: new Elysia({ name: 'icons' }).use(jsonBody(bodyLimit)).post(
    ICON.path,
    async ({ body: { path, ...site } }) => {
      const sites = await live().catch((error: unknown) => {
        throw reachable(error);
      });
      const place = placesIn(sites)({ ...site, check: null });
      return typeof place === 'string' ? SILENT : fetchIcon(place, path, userAgent());
    },
    { body: IconRequest, response: { 200: IconAnswer, 400: AgentErrorBody, 502: AgentErrorBody } },
  ),
});
