/** `block`: some networks do not get in. */
import { t } from 'elysia';
import { defineRecipe } from '../define.ts';
import { networks, status } from '../fields.ts';
import { listed } from '../networks.ts';

export const block = defineRecipe({
  id: 'block',
  kind: 'policy',
  title: 'Block addresses',
  description: 'Refuses the addresses and networks you name, and lets in all others.',
  fields: t.Object(
    {
      networks: networks({
        title: 'Networks',
        description: 'the addresses and networks that are refused',
      }),
      status,
    },
    { additionalProperties: false },
  ),
  needs: {},
  example: { networks: ['203.0.113.7', '2001:db8::/32'] },
  write: ({ networks, status = 403 }, { wording, prefix }) => [
    { text: `${prefix}blocked ${wording.clientIp} ${listed(networks)}`, field: 'networks' },
    { text: `respond ${prefix}blocked ${status}`, field: 'status' },
  ],
});
