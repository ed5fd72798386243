import { expect, test } from 'bun:test';
import { BLOCK_BYTES } from '../../../../agent/logs/index/block.ts';
import { keeperOf, lines, ROLL, temporaryLogs } from '../temp.ts';

const logWith = temporaryLogs();
/** The shortest line that is an entry. */
const SHORT = '{"request":{},"status":1}\n';

test.each([
  ['lines that are not entries right before one', '\n\n\n{}\n', 1],
  ['entries shorter than any that Caddy writes', SHORT.repeat(50), 51],
  ['a line longer than what is read with it', lines(`/${'x'.repeat(50_000)}`), 2],
  ['blocks that end in a line', lines(`/${'x'.repeat(BLOCK_BYTES - 700)}`).repeat(3), 4],
])('finds each of %s', async (_, text, total) => {
  const { logs, at } = logWith({ [ROLL]: text + lines('/wanted').trimEnd() });
  for (const form of ['plain', 'packed']) {
    if (form === 'packed') await keeperOf(at('access.log')).run();
    const all = await logs.page({ page: 1, pageSize: 500 });
    expect([all.total, all.logs.length, all.logs[0]?.path]).toEqual([total, total, '/wanted']);
    for (let page = 1; page <= Math.min(total, 5); page++) {
      const { logs: one } = await logs.page({ page, pageSize: 1 });
      expect(one).toEqual(all.logs.slice(page - 1, page));
    }
    const wanted = { domain: 'b.example', status: 200, path: '/wan', page: 1, pageSize: 5 };
    expect((await logs.page(wanted)).total).toBe(1);
  }
});
