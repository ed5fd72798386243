/** Holds what is generated for the dashboard against the hub. */
import { expect, test } from 'bun:test';
import {
  API_TYPES,
  CHANNEL_FORMS,
  generateApiTypes,
  generateChannelForms,
} from '../../scripts/api-types.ts';

test('the types of the API are current: if not, run `bun run types`', async () => {
  expect(await Bun.file(API_TYPES).text()).toBe(await generateApiTypes());
});

test('and so are the forms of channels', async () => {
  expect(await Bun.file(CHANNEL_FORMS).text()).toBe(generateChannelForms());
});
