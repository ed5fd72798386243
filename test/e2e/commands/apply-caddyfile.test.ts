/** `signalbox apply` with a Caddyfile, which the hub converts as an import would. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forFile } from '../../harness/for-file.ts';
import { createOperator } from '../../harness/operator.ts';

const operator = await forFile(createOperator());
const write = (name: string, text: string) => writeFileSync(join(operator.folder, name), text);
const run = (args: string, input?: string) =>
  operator.run(['apply', ...args.split(' ')], input === undefined ? {} : { input });

await operator.start();

test('is applied, with whole blocks as they are', async () => {
  write('Caddyfile', '# mine\nhttp://c.example {\n\t# why\n\trespond c\n}\n');
  const done = await run('-f Caddyfile');
  expect(done).toEqual({
    code: 0,
    out: 'create site http://c.example\n',
    err: expect.stringMatching(/^1 change, published; to undo: signalbox undo [1-9]\d*\n$/),
  });
  expect(await operator.served('c.example')).toBe('c');
  expect((await run('-f - --source Caddyfile', 'http://c.example {\n\trespond d\n}\n')).out).toBe(
    'update site http://c.example: config\n',
  );
  expect(await operator.served('c.example')).toBe('d');
});

test('is refused with the options and snippets that the preamble lacks or has otherwise', async () => {
  const text = `{
	http_port 1
	email a@b.example
}
(mine) {
	respond mine
}
http://c.example {
	import mine
}
`;
  const refused = await run('-f - --source Caddyfile', text);
  expect([refused.code, refused.out]).toEqual([1, '']);
  expect(refused.err).toContain('http_port (differs), email (new), (mine) (new)');
  expect(refused.err).toContain('signalbox import');
  const bad = await run('-f Caddyfile.new --source Caddyfile', '');
  expect([bad.code, bad.out]).toEqual([1, '']);
  expect(await operator.served('c.example')).toBe('d');
});
