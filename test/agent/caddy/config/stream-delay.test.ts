import { describe, expect, test } from 'bun:test';
import { createStreamDelay, withStreamDelay } from '../../../../agent/caddy/config/stream-delay.ts';
import type { JsonObject } from '../../../../src/shared/json.ts';

const DAY = 24 * 3_600_000;

describe('how long websockets outlive a configuration', () => {
  test('is a day, and less after 20 loads within a day', () => {
    let now = 0;
    const next = createStreamDelay(() => now);
    const loads = (count: number) => Array.from({ length: count }, next);
    expect(loads(20)).toEqual(Array(20).fill('24h'));
    expect(loads(30)).toEqual(Array(30).fill('10m'));
    now = DAY - 1;
    expect(next()).toBe('10m');
    now = DAY;
    expect(next()).toBe('24h');
    now = 2 * DAY;
    expect(loads(21)).toEqual([...Array(20).fill('24h'), '10m']);
  });
});

describe('a delay', () => {
  const proxy = { handler: 'reverse_proxy', upstreams: [{ dial: ':1' }] };
  const delayed = { stream_close_delay: '24h', ...proxy };
  const site = (host: string, ...handle: JsonObject[]) => ({
    match: [{ host: [host] }],
    handle: [{ handler: 'subroute', routes: [{ handle }] }],
    terminal: true,
  });
  const give = (server: JsonObject) => withStreamDelay(server, '24h');

  test('is not given where the connection decides who gets in', () => {
    const server = {
      routes: [site('a', proxy)],
      tls_connection_policies: [{}, { client_authentication: { mode: 'require' } }],
    };
    expect(give(server)).toEqual(server);
  });

  test.each<[string, JsonObject]>([
    ['a password', { handler: 'authentication' }],
    ['what another route does', { handler: 'invoke', name: 'guard' }],
    ['an error', { handler: 'error' }],
    ['no answer', { handler: 'static_response', abort: true }],
    ['a status', { handler: 'static_response', status_code: 403 }],
    ['a status in quotes', { handler: 'static_response', status_code: '403' }],
    ['a status that a request chooses', { handler: 'static_response', status_code: '{status}' }],
    [
      'a sign-in service',
      { ...proxy, rewrite: { method: 'GET' }, handle_response: [{ routes: [] }] },
    ],
  ])('is not given to a site that may refuse with %s, nor to its error pages', (_, guard) => {
    const server = { routes: [site('a', guard, proxy)], errors: { routes: [site('a', proxy)] } };
    expect(give(server)).toEqual(server);
    const ofAllHosts = { routes: [{ handle: [guard] }, { handle: [proxy] }] };
    expect(give(ofAllHosts)).toEqual(ofAllHosts);
  });

  const refuse = { handler: 'static_response', status_code: 403 };
  const redirect = { handler: 'static_response', status_code: 302 };
  const route = (match: JsonObject | null, handler: JsonObject, more: JsonObject = {}) => ({
    ...(match && { match: [match] }),
    handle: [handler],
    ...more,
  });
  const only = (...routes: JsonObject[]) => ({
    routes: [{ ...site('a'), handle: [{ handler: 'subroute', routes }] }],
  });
  const lan = { remote_ip: { ranges: ['10.0.0.0/8'] } };
  const one = { group: 'one' };

  test.each<[string, JsonObject]>([
    ['everybody', only(route(null, refuse), route(null, proxy))],
    ['some addresses', only(route({ not: [lan] }, refuse), route(null, proxy))],
    ['all others', only(route(lan, proxy, one), route(null, refuse, one))],
    ['some, by a header', only(route({ header: { Cookie: ['x'] } }, refuse), route(null, proxy))],
    [
      'everybody, below a path of its address',
      { routes: [route({ path: ['/app*'] }, refuse, { terminal: true }), route(null, proxy)] },
    ],
    [
      'some, below a path',
      only(
        route({ path: ['/a*'] }, { handler: 'subroute', routes: [route(lan, refuse)] }),
        route(null, proxy),
      ),
    ],
    ['all others, by an upstream for some', only(route(lan, proxy))],
    [
      'all others, by another answer',
      only(route(lan, proxy, one), route(null, { handler: 'static_response' }, one)),
    ],
    [
      'all others, by an upstream for a cookie below a path',
      only(
        route(
          { path: ['/a*'] },
          { handler: 'subroute', routes: [route({ header: { Cookie: ['x'] } }, proxy)] },
        ),
      ),
    ],
    ['some, by a redirect', only(route({ not: [lan] }, redirect), route(null, proxy))],
    ['everybody, by a redirect', only(route(null, redirect), route(null, proxy))],
    [
      'some, as the upstream says',
      only(route(null, { ...proxy, handle_response: [{ routes: [route(null, refuse)] }] })),
    ],
  ])('is not given to a site that refuses %s', (_, server) => {
    expect(give(server)).toEqual(server);
  });

  test.each<[string, (proxy: JsonObject) => JsonObject]>([
    ['a path', (proxy) => only(route({ path: ['/x'] }, refuse), route(null, proxy))],
    [
      'the other paths',
      (proxy) => only(route({ path: ['/a*'] }, proxy, one), route(null, refuse, one)),
    ],
    [
      'robots',
      (proxy) =>
        only(
          route({ header_regexp: { 'User-Agent': { pattern: 'x' } } }, refuse),
          route(null, proxy),
        ),
    ],
    [
      'what is no websocket',
      (proxy) =>
        only(
          route({ header: { Connection: ['*Upgrade*'], upgrade: ['websocket'] } }, proxy, one),
          route(null, { handler: 'static_response' }, one),
        ),
    ],
    [
      'other methods',
      (proxy) => only(route({ not: [{ method: ['GET'] }] }, refuse), route(null, proxy)),
    ],
  ])('is given to a site that refuses %s', (_, server) => {
    expect(give(server(proxy))).toEqual(server(delayed));
  });

  test('is given to the other sites, but for those that have one', () => {
    const own = { ...proxy, stream_close_delay: 1 };
    const moved = { handler: 'subroute', routes: [route({ path: ['/old'] }, redirect)] };
    const page = (handler: JsonObject) =>
      site('c', { handler: 'subroute', routes: [route({ expression: '{err} == 502' }, handler)] });
    const pages = { ...proxy, handle_response: [{ routes: [{ handle: [proxy] }] }] };
    expect(
      give({
        listen: [':80'],
        routes: [
          site('a', { handler: 'authentication' }, proxy),
          site('b', moved, proxy),
          site('c', own),
          site('d', pages),
        ],
        errors: { routes: [site('b', proxy), page(proxy)] },
      }),
    ).toEqual({
      listen: [':80'],
      routes: [
        site('a', { handler: 'authentication' }, proxy),
        site('b', moved, delayed),
        site('c', own),
        site('d', { ...delayed, handle_response: [{ routes: [{ handle: [delayed] }] }] }),
      ],
      errors: { routes: [site('b', delayed), page(delayed)] },
    });
  });
});
