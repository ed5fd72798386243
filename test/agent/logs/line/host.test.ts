import { describe, expect, test } from 'bun:test';
import { hostKey, shownHost } from '../../../../agent/logs/line/entry.ts';

describe('hosts', () => {
  test.each([
    ['B.Example:8443', 'b.example', 'b.example'],
    ['b.example.', 'b.example', 'b.example'],
    ['b.example.:80', 'b.example', 'b.example'],
    ['b.example:', 'b.example', 'b.example'],
    ['[::1]:20080', '[::1]', '[::1]'],
    ['[::1]', '[::1]', '[::1]'],
    ['::1', '[::1]', '[::1]'],
    ['BÜCHER.example:1', 'bücher.example', 'xn--bcher-kva.example'],
    ['127.1', '127.1', '127.1'],
    ['', '', ''],
  ])('%p', (host, shown, key) => {
    expect([shownHost(host), hostKey(host)]).toEqual([shown, key]);
  });
});
