/** What is added to the config of a site, and where. */
import { describe, expect, test } from 'bun:test';
import { insert, partsOf, withField } from '../../src/web/sites/form/additions.ts';

test('text that forwards to the upstream of the site leaves it in its field', () => {
  const text = 'reverse_proxy https://nas.lan:443 {\n\ttransport http\n}';
  expect(withField(text, 'https://nas.lan:44')).toBe(text);
  expect(withField(text, '')).toBe(text);
  expect(withField(text, 'https://nas.lan:443')).toBe(
    'reverse_proxy {upstream} {\n\ttransport http\n}',
  );
});

describe('text for a site', () => {
  test('never takes the place of directives with matchers, of other names, or of comments at the end', () => {
    const config = 'redir /old /new\nheader X-A b\nhandle @lan {\n\trespond hi\n}\n# the end';
    const { config: next, removed } = insert(config, 'redir https://a.example 308');
    expect(removed).toBe('');
    expect(next).toBe(
      'redir /old /new\nheader X-A b\nhandle @lan {\n\trespond hi\n}\n# the end\nredir https://a.example 308',
    );
  });

  test('loses nothing of a config whose blocks are not closed', () => {
    const config = 'handle {\n\trespond hi';
    expect(insert(config, 'encode gzip').config).toBe(`encode gzip\n${config}`);
  });

  test('that answers takes the place of what did, comments above it included', () => {
    const config = 'header X-A b\n# the app\nreverse_proxy {upstream} {\n\tlb_policy first\n}\nlog';
    const { config: next, removed } = insert(config, 'root * /srv\nfile_server');
    expect(next).toBe('header X-A b\nroot * /srv\nfile_server\nlog');
    expect(removed).toBe('# the app\nreverse_proxy {upstream} {\n\tlb_policy first\n}');
  });

  test('takes the place of the same directive, and comes first otherwise', () => {
    expect(insert('encode gzip\nreverse_proxy a', 'encode zstd gzip')).toEqual({
      config: 'encode zstd gzip\nreverse_proxy a',
      removed: 'encode gzip',
    });
    expect(insert('reverse_proxy a', 'encode gzip').config).toBe('encode gzip\nreverse_proxy a');
    expect(insert('', 'encode gzip').config).toBe('encode gzip');
  });

  test('a whole block takes the place of everything', () => {
    const text = 'http://, *.home.example {\n\trespond 404\n}';
    const removed = 'encode gzip\nreverse_proxy a';
    expect(insert(removed, text)).toEqual({ config: text, removed });
    expect(insert('', 'respond 404').config).toBe('respond 404');
  });

  test('goes into the block of a config that is a whole one', () => {
    expect(insert('a.example, b.example {\n\treverse_proxy x\n}', 'log {\n}').config).toBe(
      'a.example, b.example {\n\tlog {\n\t}\n\treverse_proxy x\n}',
    );
    expect(insert('a.example {\n\treverse_proxy x\n}', 'redir https://y').config).toBe(
      'a.example {\n\tredir https://y\n}',
    );
  });

  test('is split by directive', () => {
    expect(partsOf('# c\na x {\n\tb {\n\t}\n}\n\nc @m y {z}')).toEqual([
      { name: 'a', hasMatcher: false, text: '# c\na x {\n\tb {\n\t}\n}' },
      { name: 'c', hasMatcher: true, text: '\nc @m y {z}' },
    ]);
  });
});
