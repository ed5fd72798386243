/** Holds the generated forms of channels against the hub. */
import { expect, test } from 'bun:test';
import { CHANNEL_FORMS, generateChannelForms } from '../../../../scripts/channel-forms.ts';

test('the forms of channels are current: if not, run `bun run forms`', async () => {
  expect(await Bun.file(CHANNEL_FORMS).text()).toBe(generateChannelForms());
});
