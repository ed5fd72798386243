/** `balance`: forwards to several upstreams of one service. */

import { t } from 'elysia';
import { integer } from '../../../shared/integer.ts';
import { defineRecipe } from '../define.ts';
import { upstream } from '../fields.ts';

export const balance = defineRecipe({
  id: 'balance',
  kind: 'site',
  title: 'Several upstreams',
  description:
    'Spreads requests over several upstreams of one service, and avoids those that are down.',
  fields: t.Object(
    {
      addresses: t.Array(upstream({ title: 'Upstream', description: 'where one listens' }), {
        title: 'Upstreams',
        description: 'where they listen: all with http://, all with https://, or all without',
        minItems: 2,
        maxItems: 50,
      }),
      choice: t.Optional(
        t.UnionEnum(['random', 'round_robin', 'least_conn', 'first', 'ip_hash', 'cookie'], {
          title: 'Choice',
          description:
            'how to choose: at random, in turn, the one with the fewest requests, the first that is up, or always the same for an address or a browser',
          default: 'random',
        }),
      ),
      healthPath: t.Optional(
        t.String({
          title: 'Health check',
          description: 'the path to request for health checks',
          format: 'request-uri',
          maxLength: 500,
          examples: ['/health'],
        }),
      ),
      healthInterval: t.Optional(
        integer({
          title: 'Seconds between health checks',
          description: 'how often to ask',
          minimum: 1,
          maximum: 3_600,
          default: 10,
        }),
      ),
    },
    { additionalProperties: false },
  ),
  needs: { modules: ['http.handlers.reverse_proxy'] },
  example: { addresses: ['10.0.0.2:8080', '10.0.0.3:8080'], healthPath: '/health' },
  write: ({ addresses, choice = 'random', healthPath, healthInterval = 10 }) => [
    { text: `reverse_proxy ${addresses.join(' ')} {`, field: 'addresses' },
    `\tlb_policy ${choice}`,
    // An upstream that cannot be reached is avoided for a while, and the request goes to another.
    '\tlb_try_duration 5s',
    '\tfail_duration 10s',
    ...(healthPath === undefined
      ? []
      : [
          { text: `\thealth_uri ${healthPath}`, field: 'healthPath' },
          { text: `\thealth_interval ${healthInterval}s`, field: 'healthInterval' },
        ]),
    '}',
  ],
});
