/** Holds the generated types against the OpenAPI document. */
import { expect, test } from 'bun:test';
import { API_TYPES, generateApiTypes } from '../../scripts/api-types.ts';

test('the types of the API are current: if not, run `bun run types`', async () => {
  expect(await Bun.file(API_TYPES).text()).toBe(await generateApiTypes());
});
