/** `allow`: only some networks get in. */
import { t } from 'elysia';
import { defineRecipe } from '../define.ts';
import { networks, status } from '../fields.ts';

export const allow = defineRecipe({
  id: 'allow',
  kind: 'policy',
  title: 'Only some networks',
  description:
    'Refuses everyone outside the networks named; with private_ranges, everyone outside the local network.',
  fields: t.Object(
    {
      networks: networks({
        title: 'Networks',
        description:
          'the addresses and networks that get in; private_ranges stands for all private ones',
      }),
      status,
    },
    { additionalProperties: false },
  ),
  needs: {},
  example: { networks: ['private_ranges'] },
  write: ({ networks, status = 403 }, { wording, prefix }) => [
    {
      text: `${prefix}outside not ${wording.clientIp} ${networks.join(' ')}`,
      field: 'networks',
    },
    { text: `respond ${prefix}outside ${status}`, field: 'status' },
  ],
});
