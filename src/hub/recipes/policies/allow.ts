/** `allow`: only some networks get in. */
import { t } from 'elysia';
import { defineRecipe } from '../define.ts';
import { networks, status } from '../fields.ts';
import { listed } from '../networks.ts';

export const allow = defineRecipe({
  id: 'allow',
  kind: 'policy',
  title: 'Only some networks',
  description:
    'Lets in only the networks you name. private_ranges stands for all private networks and this machine.',
  fields: t.Object(
    {
      networks: networks({
        title: 'Networks',
        description: 'the addresses and networks that get in',
      }),
      status,
    },
    { additionalProperties: false },
  ),
  needs: {},
  example: { networks: ['private_ranges'] },
  write: ({ networks, status = 403 }, { wording, prefix }) => [
    {
      text: `${prefix}outside not ${wording.clientIp} ${listed(networks)}`,
      field: 'networks',
    },
    { text: `respond ${prefix}outside ${status}`, field: 'status' },
  ],
});
