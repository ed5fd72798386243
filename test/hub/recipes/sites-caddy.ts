/** A real Caddy that serves the texts of recipes, many sites at once. */
import { rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Values } from '../../../src/hub/recipes/recipe.ts';
import { recipeOf } from '../../../src/hub/recipes/registry.ts';
import { checkValues } from '../../../src/hub/recipes/values.ts';
import { wordingOf } from '../../../src/shared/caddyfile/dialect.ts';
import { caddyIs, versionOf } from '../../harness/caddys.ts';
import { freePort, temporaryFolder, until } from '../../harness/stack.ts';

export type SitesCaddy = {
  port: number;
  /** Sends a request as it is written, from an address of this machine, and reads to the end. */
  send(request: string, from?: string): Promise<string>;
  /** A GET with some header lines. @returns status line, headers and body */
  get(host: string, path?: string, lines?: readonly string[], from?: string): Promise<string>;
  stop(): Promise<void>;
};

/** Not a client: what the proxy believes about clients. */
export const TRUSTED_PROXY = '127.0.0.9';
const version = versionOf('caddy');

/** The text of a recipe, for the Caddy on the PATH. @param part the other one is at the level of the site */
export function textOf(
  id: string,
  values: Values,
  part: 'write' | 'writeSite' = 'write',
): string[] {
  const recipe = recipeOf(id);
  if (!recipe) throw new Error(`there is no recipe ${id}`);
  const writing = { wording: wordingOf(version), prefix: `@policy-${id}-` };
  const lines = recipe[part]?.(checkValues(recipe, values), writing) ?? [];
  return lines.map((line) => (typeof line === 'string' ? line : line.text));
}

/** A body of a site, with policies before it. */
export const behind = (
  policies: readonly [string, Values][],
  body = 'header Seen BODY\nrespond BODY',
): string =>
  [
    ...policies.flatMap(([id, values]) => textOf(id, values, 'writeSite')),
    'route {',
    ...policies.flatMap(([id, values]) => textOf(id, values)),
    'handle {',
    body,
    '}',
    '}',
  ].join('\n');

/** @param sites the body of each host, or its whole block; over HTTPS if one of them begins with `tls`. @param port not for HTTPS */
export function caddyfileOf(port: number, sites: Readonly<Record<string, string>>): string {
  const isSecure = Object.values(sites).some((body) => body.startsWith('tls '));
  const addressOf = (host: string) => (isSecure ? `https://${host}` : `http://${host}:${port}`);
  const trusted = caddyIs('>=2.7.0')
    ? `servers {\n\t\ttrusted_proxies static ${TRUSTED_PROXY}\n\t}\n`
    : '';
  const blocks = Object.entries(sites).map(([host, body]) =>
    isBlock(body) ? `${body}\n` : `${addressOf(host)} {\n${body}\n}\n`,
  );
  return `{\n\tadmin off\n\t${trusted}}\n${blocks.join('')}`;
}

/** Whether a text has addresses of its own. */
export const isBlock = (body: string): boolean => body.startsWith('http://');

export const startSitesCaddy = (sites: Readonly<Record<string, string>>): Promise<SitesCaddy> =>
  serveCaddyfile((port) => caddyfileOf(port, sites));

/** @param caddyfile the text, for a free port @param bin the Caddy */
export async function serveCaddyfile(
  caddyfile: (port: number) => string,
  bin = 'caddy',
): Promise<SitesCaddy> {
  const folder = temporaryFolder();
  const port = freePort();
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, caddyfile(port));
  const output = Bun.file(join(folder, 'caddy.out'));
  const child = Bun.spawn([bin, 'run', '--config', file, '--adapter', 'caddyfile'], {
    env: { PATH: process.env.PATH ?? '', HOME: folder, SECRET: 'LEAKED' },
    stdio: ['ignore', output, output],
  });
  const stop = async () => {
    child.kill('SIGKILL');
    await child.exited;
    rmSync(folder, { recursive: true, force: true });
  };
  const send: SitesCaddy['send'] = (request, from = '127.0.0.1') => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const host = from.includes(':') ? '::1' : '127.0.0.1';
    const socket = connect({ host, port, localAddress: from });
    let answer = '';
    socket.on('connect', () => socket.write(request));
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    // The newest Caddy answers before it has read a body that is too large.
    socket.on('error', (error) => (answer === '' ? reject(error) : resolve(answer)));
    socket.on('close', () => resolve(answer));
    return promise;
  };
  const answers = async () => {
    if (child.exitCode !== null) {
      const words = await output.text();
      await stop();
      throw new Error(`Caddy did not start: ${words}`);
    }
    return send(request('nobody')).catch(() => null);
  };
  // It loads hundreds of sites.
  await until(answers, 'Caddy', 60_000);
  return {
    port,
    send,
    get: (host, path = '/', lines = [], from = undefined) =>
      send(request(host, { path, lines }), from),
    stop,
  };
}

type Asked = { method?: string; path?: string; lines?: readonly string[]; body?: string };

/** A request that ends its connection. */
export function request(
  host: string,
  { method = 'GET', path = '/', lines = [], body = '' }: Asked = {},
): string {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const head = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...lines];
  return `${[...head, ...length].join('\r\n')}\r\n\r\n${body}`;
}

export const statusOf = (answer: string): number =>
  Number(/^HTTP\/1\.[01] (\d+)/.exec(answer)?.[1] ?? 0);

/** What comes after the head. */
export const bodyOf = (answer: string): string => answer.slice(answer.indexOf('\r\n\r\n') + 4);
