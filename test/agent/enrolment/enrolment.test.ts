/** Who may enrol, what an enrolled agent obeys, and the change of its token. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgentClient } from '../../../src/hub/agents/client.ts';
import { enrol } from '../../../src/hub/agents/enrol.ts';
import { HUBS, startEnrollable, tokenOf } from '../../harness/enrolled.ts';
import { forEachTest } from '../../harness/for-tests.ts';
import { some } from '../../harness/full.ts';
import { until } from '../../harness/stack.ts';

/** Changes of the token while a hub asks without a pause. */
const ROTATIONS = some(6, 20);

const agent = forEachTest(() => startEnrollable());

/** @returns `enrolled`, or the code of the refusal */
const enrolling = (token: string, more: object = {}, secret = agent.invitation.secret) =>
  enrol(
    { ...agent.invitation, secret },
    { hub: HUBS.first, term: 1, token: tokenOf(token), replace: false, ...more },
  ).then(
    () => 'enrolled',
    ({ code }: { code: string }) => code,
  );
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    ({ code }: { code: string }) => code,
  );
const raw = (path: string, body: unknown, headers = {}) =>
  fetch(`${agent.url}${path}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers,
    tls: { rejectUnauthorized: false },
  });

describe('a stranger', () => {
  test('gets the same refusal for each wrong secret, and none but 401 elsewhere', async () => {
    const { secret } = agent.invitation;
    const request = { hub: HUBS.first, term: 1, token: tokenOf('t') };
    // An agent that is not enrolled accepts no token.
    for (const token of ['', secret]) {
      const answer = await raw('/proxy/status', '', { Authorization: `Bearer ${token}` });
      expect(answer.status).toBe(401);
    }
    for (const [body, status] of [
      ['{', 400],
      [{ ...request, secret, token: 'short' }, 400],
      [{ ...request, secret, hub: 'x' }, 400],
      [{ ...request, secret, term: 0 }, 400],
      [{ ...request, secret: 'x'.repeat(5_000) }, 413],
    ] as const) {
      expect((await raw('/enrol', body)).status).toBe(status);
    }
    const answers = new Set<string>();
    for (const wrong of ['', 'x', 'x'.repeat(43), `${secret}x`]) {
      const answer = await raw('/enrol', { ...request, secret: wrong });
      answers.add(`${answer.status} ${await answer.text()}`);
    }
    // One invitation is for one hub, even if two come at once.
    const found = await Promise.all(['one', 'two', 'three'].map((token) => enrolling(token)));
    expect(found.toSorted()).toEqual(['INVITATION_INVALID', 'INVITATION_INVALID', 'enrolled']);
    const used = await raw('/enrol', { ...request, secret });
    answers.add(`${used.status} ${await used.text()}`);
    await agent.restart();
    const late = await raw('/enrol', { ...request, secret: 'x'.repeat(43) });
    answers.add(`${late.status} ${await late.text()}`);
    expect([...answers]).toEqual([expect.stringMatching(/^401 .*"INVITATION_INVALID"/)]);
    for (const path of ['/token', '/proxy/status', '/enrol/', '/nothing']) {
      expect([path, (await raw(path, '{')).status]).toEqual([path, 401]);
    }
    expect((await fetch(`${agent.url}/enrol`, { tls: { rejectUnauthorized: false } })).status).toBe(
      401,
    );
  });

  test('closes the invitation with five wrong secrets', async () => {
    for (let tries = 0; tries < 5; tries++) {
      expect(await enrolling('t', {}, 'x'.repeat(43))).toBe('INVITATION_INVALID');
    }
    expect(await enrolling('t')).toBe('INVITATION_INVALID');
  });
});

test('after a restart it obeys its hub and no other, and its files have no token', async () => {
  expect(await enrolling('first')).toBe('enrolled');
  await agent.restart();
  await agent.client('first').reload(agent.site('one'));
  expect(await agent.served()).toBe('one');
  expect(await codeOf(agent.client('other').reload(agent.site('two')))).toBe('AGENT_UNREACHABLE');
  expect(await codeOf(agent.client('first', HUBS.second).reload(agent.site('two')))).toBe(
    'OTHER_HUB',
  );
  const data = join(agent.folder, 'data');
  const files = readdirSync(data, { withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { name } of files) {
    expect(readFileSync(join(data, name), 'latin1')).not.toContain(tokenOf('first'));
  }
});

describe('another invitation', () => {
  beforeEach(async () => {
    expect(await enrolling('first', { term: 3 })).toBe('enrolled');
    await agent.client('first', HUBS.first, 3).reload(agent.site('one'));
    await agent.restart(true);
  });

  test('changes nothing until it is used, and shows whose sites would go', async () => {
    await agent.client('first', HUBS.first, 3).reload(agent.site('two'));
    expect(await agent.served()).toBe('two');
    expect(await enrolling('second', { hub: HUBS.second })).toBe('IMPORT_FIRST');
    expect(await codeOf(agent.client('first', HUBS.first, 3).status())).toBe('done');
    expect(await enrolling('second', { hub: HUBS.second, replace: true })).toBe('enrolled');
    expect(await codeOf(agent.client('first', HUBS.first, 3).status())).toBe('AGENT_UNREACHABLE');
    const second = agent.client('second', HUBS.second);
    expect(await second.status()).toMatchObject({ owner: HUBS.second, term: 1 });
    expect(await agent.served()).toBe('two');
    await second.reload(agent.site('three'));
    expect(await agent.served()).toBe('three');
    const kept = readdirSync(agent.folder).filter((name) => name.startsWith('Caddyfile.before-'));
    expect(kept.map((name) => readFileSync(join(agent.folder, name), 'utf8'))).toEqual([
      agent.site('two'),
    ]);
  });

  test('lets the same hub come back with a lower term, and counts despite a crash', async () => {
    expect(await enrolling('again')).toBe('enrolled');
    await agent.client('again').reload(agent.site('two'));
    expect(await agent.served()).toBe('two');
    await agent.restart(true);
    // A crash kept it from the ledger beside the Caddyfile.
    const ledger = `${agent.proxyfile}.signalbox`;
    const before = readFileSync(ledger, 'utf8');
    expect(await enrolling('second', { hub: HUBS.second, replace: true })).toBe('enrolled');
    await agent.restart();
    writeFileSync(ledger, before);
    await agent.restart();
    await agent.client('second', HUBS.second).reload(agent.site('three'));
    expect(await agent.served()).toBe('three');
  });
});

test('sites of an unknown Caddyfile are not replaced unasked, and the invitation stays', async () => {
  writeFileSync(agent.proxyfile, agent.site('theirs'));
  await agent.restart(true);
  expect(await agent.served()).toBe('theirs');
  expect(await enrolling('first')).toBe('IMPORT_FIRST');
  expect(await enrolling('first', { replace: true })).toBe('enrolled');
  expect(await agent.served()).toBe('theirs');
  await agent.client('first').reload(agent.site('ours'));
  expect(await agent.served()).toBe('ours');
  expect(readFileSync(`${agent.proxyfile}.before-signalbox`, 'utf8')).toBe(agent.site('theirs'));
});

describe('of two copies of a hub', () => {
  const inTerm = (term: number) => agent.client('first', HUBS.first, term);

  test('the one with the lower term is refused, even with replace and after a restart', async () => {
    expect(await enrolling('first')).toBe('enrolled');
    await inTerm(1).reload(agent.site('two'));
    // A publish raises the term, and nothing else does.
    expect(await inTerm(2).status()).toMatchObject({ term: 1, foreign: false });
    await inTerm(2).validate(agent.site('two'));
    expect(await codeOf(inTerm(2).reload(agent.site('{')))).toBe('PROXY_REJECTED');
    await inTerm(1).reload(agent.site('two'));
    // The same text, as a copy that was just promoted has it.
    await inTerm(2).reload(agent.site('two'));
    expect(await codeOf(inTerm(1).reload(agent.site('two')))).toBe('OTHER_HUB');
    await agent.restart();
    for (const replace of [false, true]) {
      const refused = inTerm(1).reload(agent.site('one'), undefined, { replace });
      expect(await codeOf(refused)).toBe('OTHER_HUB');
      await expect(refused).rejects.toThrow('newer copy of this hub was promoted');
    }
    const earlier = createAgentClient({
      url: agent.url,
      token: tokenOf('first'),
      hub: HUBS.first,
      trust: { fingerprint: agent.fingerprint },
    });
    expect(await codeOf(earlier.reload(agent.site('one')))).toBe('OTHER_HUB');
    expect(await agent.served()).toBe('two');
    expect(await inTerm(1).status()).toMatchObject({ term: 2, foreign: true });
  });
});

describe('a new token', () => {
  test('is not taken from a stranger, and works beside the old one until it is used', async () => {
    expect(await enrolling('first')).toBe('enrolled');
    expect((await raw('/token', { token: tokenOf('x') })).status).toBe(401);
    const headers = { Authorization: `Bearer ${tokenOf('first')}` };
    expect((await raw('/token', { token: 'short' }, headers)).status).toBe(400);
    expect(await codeOf(agent.client('x').status())).toBe('AGENT_UNREACHABLE');

    // Also across restarts.
    await agent.client('first').rotate(tokenOf('second'));
    await agent.restart();
    expect(await codeOf(agent.client('first').status())).toBe('done');
    expect(await codeOf(agent.client('second').status())).toBe('done');
    expect(await codeOf(agent.client('first').status())).toBe('AGENT_UNREACHABLE');
    await agent.restart();
    expect(await codeOf(agent.client('first').status())).toBe('AGENT_UNREACHABLE');
    await agent.client('second').reload(agent.site('one'));
    expect(await agent.served()).toBe('one');
  });

  test('refuses no request of a hub under load', async () => {
    expect(await enrolling('first')).toBe('enrolled');
    let generation = 0;
    const client = createAgentClient({
      url: agent.url,
      token: () => tokenOf(`generation-${generation}`),
      trust: { fingerprint: agent.fingerprint },
      hub: HUBS.first,
    });
    await agent.client('first').rotate(tokenOf('generation-0'));
    let isOver = false;
    const refused: unknown[] = [];
    let done = 0;
    const load = Array.from({ length: 20 }, async () => {
      while (!isOver) {
        await client.status().then(
          () => done++,
          (error: unknown) => refused.push(error),
        );
      }
    });
    for (let next = 1; next <= ROTATIONS; next++) {
      await client.rotate(tokenOf(`generation-${next}`));
      generation = next;
      // Twenty may still be under way with the token before.
      const before = done;
      await until(() => done > before + 20, 'some requests');
    }
    isOver = true;
    await Promise.all(load);
    expect(refused).toEqual([]);
    expect(await codeOf(agent.client(`generation-${ROTATIONS - 1}`).status())).toBe(
      'AGENT_UNREACHABLE',
    );
  });
});
