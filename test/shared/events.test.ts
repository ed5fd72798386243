/** The documentation has every event, and no other. */
import { expect, test } from 'bun:test';
import { EVENTS } from '../../src/shared/events.ts';

test('docs/notifications.md names each event, in the same order', async () => {
  const page = await Bun.file('docs/notifications.md').text();
  const [, section = ''] = page.split('\n## Events\n');
  const [, named = ''] = section.split('\n\n').filter((paragraph) => paragraph.includes('`'));
  expect([...named.matchAll(/`([^`]*)`/g)].map(([, name]) => name)).toEqual(Object.keys(EVENTS));
});
