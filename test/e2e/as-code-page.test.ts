// proof: docs
/** The files and commands of docs/as-code.md, as they stand there. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readApplyFile } from '../../src/features/apply/cli/apply-file.ts';
import { applySchema } from '../../src/features/apply/schemas.ts';
import { createOperator } from '../harness/operator.ts';
import { readPage, shellIn } from '../harness/page.ts';
import { ask, signUp } from '../harness/stack.ts';

const operator = createOperator();
const { folder } = operator;
const { text: page, blocksUnder } = await readPage('docs/as-code.md');
const shell = shellIn(folder);
const at = (name: string) => join(folder, name);
let hub: string;
let token: string;

const [example = ''] = blocksUnder('', 'yaml');

/** Sites that the Caddy of this machine serves without certificates. */
const sites = (config: string) => `sites:\n  http://page.example: {config: respond ${config}}\n`;
const served = () => operator.served('page.example');

beforeAll(async () => {
  ({ hub } = await operator.start());
  const { headers } = await signUp({ hub });
  const json = { name: 'ci', scope: 'write' };
  const request = { method: 'POST', headers, json };
  ({ token } = (await ask<{ token: string }>(`${hub}/tokens`, request)).body);
});
afterAll(operator.close);

test('the example is one, and its fields are those of the tables', () => {
  const { sites, policies } = readApplyFile(new TextEncoder().encode(example), applySchema());
  expect(Object.keys(sites)).toEqual(['app.example', 'old.example', 'api.example']);
  expect(Object.keys(policies)).toEqual(['lan']);
  const { properties } = applySchema() as {
    properties: Record<'sites' | 'policies', { additionalProperties: Record<string, unknown> }>;
  };
  const site = properties.sites.additionalProperties as { properties: object };
  const [policy] = properties.policies.additionalProperties.anyOf as { properties: object }[];
  for (const [heading, fields] of [
    ['site', Object.keys(site.properties)],
    ['policy', Object.keys(policy?.properties ?? {})],
  ] as const) {
    const [, table = ''] = page.split(`| field of a ${heading} | |\n|---|---|\n`);
    const [rows = ''] = table.split('\n\n');
    const named = [...rows.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
    expect(named.toSorted()).toEqual(fields.toSorted());
  }
});

test('its commands plan and apply the example', async () => {
  // The names and ports of the page are not of this machine.
  const here = example.replaceAll(/^ {2}(\w+\.example):/gm, '  http://$1:');
  writeFileSync(at('sites.yaml'), here.replace(', check: {path: /health}', ''));
  const [commands = ''] = blocksUnder('', 'sh');
  const [plan = '', apply = ''] = commands.trim().split('\n');
  expect((await shell(plan)).code).toBe(2);
  expect(await shell(apply)).toMatchObject({
    code: 0,
    err: expect.stringMatching(/^4 changes, published; to undo: .* [1-9]\d*\n$/),
  });
  expect((await shell(apply)).out).toBe('nothing to do\n');
  const [exporting = ''] = blocksUnder('Who keeps what', 'sh');
  expect((await shell(exporting)).out).toMatch(/^nothing to do\ndigest \S+\nnothing to do\n$/);
});

test('the git hook applies what is pushed to main, and shows what is wrong', async () => {
  const [hook = ''] = blocksUnder('A git hook', 'sh');
  await shell('git init -q --bare repository; git init -q -b main work');
  const text = hook.replace('/var/lib/signalbox', at('data'));
  expect(text).not.toBe(hook);
  writeFileSync(at('repository/hooks/post-receive'), text, { mode: 0o755 });
  const push = (content: string, branch = 'main') => {
    writeFileSync(at('work/sites.yaml'), content);
    const who = '-c user.name=Ada -c user.email=ada@example.org';
    return shell(
      `git checkout -q -B ${branch}; git add .; git ${who} commit -qm change; git push -q ../repository ${branch}`,
      {},
      at('work'),
    );
  };
  const pushed = await push(sites('git'));
  expect(pushed.code).toBe(0);
  expect(pushed.err).toMatch(/^remote: delete site http:\/\/app\.example/m);
  expect(pushed.err).toMatch(/^remote: create site http:\/\/page\.example/m);
  expect(await served()).toBe('git');
  await push(sites('other'), 'draft');
  const wrong = await push('sites:\n  a.example: {upsteam: x}\n');
  expect(wrong.err).toContain('remote: stdin:2: sites.a.example.upsteam: unknown field');
  const gone = await shell(
    'git rm -q sites.yaml; git -c user.name=Ada -c user.email=a@b.example commit -qm gone; git push -q ../repository main',
    {},
    at('work'),
  );
  expect(gone.err).toContain('the file is empty');
  expect(await served()).toBe('git');
});

describe('the CI job', () => {
  type Step = { name?: string; if?: string; run?: string };
  const [text = ''] = blocksUnder('A CI job', 'yaml');
  const workflow = parse(text);
  const { env, steps } = workflow.jobs.apply as { env: Record<string, string>; steps: Step[] };
  const stepOn = (event: string) =>
    steps.find((step) => step.if?.includes(`'${event}'`))?.run ?? '';
  const run = (event: string) => {
    expect(env.HUB).toBe('https://signalbox.example');
    expect(env.SIGNALBOX_TOKEN).toMatch(/^\$\{\{ secrets\.\w+ \}\}$/);
    return shell(stepOn(event), { HUB: hub, SIGNALBOX_TOKEN: token });
  };

  test('runs on pull requests, and on pushes to main', () => {
    expect(workflow.on).toEqual({ pull_request: null, push: { branches: ['main'] } });
    expect(steps.filter((step) => step.if !== undefined).length).toBe(2);
  });

  test('passes with a plan on a pull request, and fails if it is refused', async () => {
    writeFileSync(at('sites.yaml'), sites('ci'));
    const taken = await run('pull_request');
    expect([taken.code, taken.err]).toEqual([0, '']);
    expect(taken.out).toContain('update site http://page.example: config\n');
    writeFileSync(at('sites.yaml'), 'sites: []');
    expect((await run('pull_request')).code).toBe(1);
    expect((await run('push')).code).toBe(1);
    expect(await served()).toBe('git');
  });

  test('applies on a push', async () => {
    writeFileSync(at('sites.yaml'), sites('ci'));
    expect((await run('push')).out).toBe('update site http://page.example: config\n');
    expect(await served()).toBe('ci');
    expect((await run('pull_request')).out).toStartWith('nothing to do\n');
  });
});

test('the task of Ansible applies, and the second time changes nothing', async () => {
  const [text = ''] = blocksUnder('Ansible', 'yaml');
  // Ansible reads YAML 1.1.
  const [task] = parse(text, { version: '1.1' });
  const { url, method, headers, body_format, body, status_code } = task['ansible.builtin.uri'];
  expect([body_format, task.changed_when]).toEqual(['json', 'applied.json.changes | length > 0']);
  expect(url).toBe('https://signalbox.example/api/apply');
  const here = (value: unknown) =>
    JSON.stringify(value)
      .replaceAll('{{ signalbox_token }}', token)
      .replaceAll('"app.example"', '"http://app.example"')
      // The hook has one of this name.
      .replaceAll('lan', 'ansible-lan');
  const send = () =>
    fetch(url.replace('https://signalbox.example/api', hub), {
      method,
      headers: { ...JSON.parse(here(headers)), 'Content-Type': 'application/json' },
      body: here(body),
      redirect: 'manual',
    });
  const changes = async () => {
    const response = await send();
    expect(response.status).toBe(status_code);
    return ((await response.json()) as { changes: unknown[] }).changes.length;
  };
  expect(await changes()).toBe(2);
  expect(await changes()).toBe(0);
});
