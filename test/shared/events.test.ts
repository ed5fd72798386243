/** The documentation has every event, and no other. */
import { expect, test } from 'bun:test';
import { EVENTS } from '../../src/shared/events.ts';

test('docs/notifications.md has a row for each event, in the same order', async () => {
  const page = await Bun.file('docs/notifications.md').text();
  const [, section = ''] = page.split('\n## Events\n');
  const rows = section.split('\n## ')[0]?.match(/^\| `.*$/gm);
  expect(rows as string[]).toEqual(
    Object.entries(EVENTS).map(([name, text]) => `| \`${name}\` | ${text} |`),
  );
});
