import { describe, expect, test } from 'bun:test';
import { entryFacts, toEntry } from '../../../../agent/logs/line/entry.ts';
import { line } from '../lines.ts';

const entryOf = (text: string) => {
  const facts = entryFacts(text);
  return facts && toEntry(facts);
};
describe('entries', () => {
  test.each([
    'plain',
    '',
    '[]',
    'null',
    '{}',
    line({ status: '200' }),
    line({ status: null }),
    line().replace('"request":{', '"request":null,"other":{'),
    line().slice(0, -1),
    line().slice(1),
  ])('%p is not an entry', (text) => {
    expect(entryOf(text)).toBeUndefined();
  });

  test('have the values of the line', () => {
    expect(entryOf(line({ request: { uri: '/a%2Fb?x=1?y', host: 'B.Example:8443' } }))).toEqual({
      timestamp: '2026-11-20T22:12:47.620Z',
      domain: 'b.example',
      method: 'GET',
      path: '/a%2Fb',
      status: 200,
      latency: '0.049ms',
      ip: '127.0.0.1',
    });
  });

  test('prefer client_ip to remote_ip, and have empty values for what is missing', () => {
    expect(entryOf(line({ request: { client_ip: '192.0.2.1' } }))?.ip).toBe('192.0.2.1');
    expect(entryOf('{"request":{},"status":0}')).toEqual({
      timestamp: '',
      domain: '',
      method: '',
      path: '',
      status: 0,
      latency: '0ms',
      ip: '',
    });
  });

  test.each([
    ['200.9', 200],
    ['-0', 0],
    ['2e2', 200],
    ['1e999', Number.MAX_SAFE_INTEGER],
  ])('read the status %s as %p', (status, whole) => {
    expect(entryOf(line().replace('"status":200', `"status":${status}`))?.status).toBe(whole);
  });
});
