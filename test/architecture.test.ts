import { describe, expect, test } from 'bun:test';
import { dirname, join, relative } from 'node:path';

const ROOT = join(import.meta.dir, '..');
const files = [...new Bun.Glob('{src,agent}/**/*.ts').scanSync(ROOT)].toSorted();

/** The project's own files that `file` imports, from the root. */
async function importsOf(file: string): Promise<string[]> {
  const text = await Bun.file(join(ROOT, file)).text();
  return [...text.matchAll(/(?:from|import)\s*\(?'(\.[^']+)'/g)].map(([, path]) =>
    relative(ROOT, join(ROOT, dirname(file), path ?? '')),
  );
}

describe('imports point one way', () => {
  test.each(files)('%s', async (file) => {
    const imports = await importsOf(file);
    const isRoot = /^src\/(main\.ts|program\/)/.test(file);

    if (file.startsWith('agent/')) {
      expect(imports.filter((path) => !/^(agent|src\/shared)\//.test(path))).toEqual([]);
    } else if (!isRoot) {
      expect(imports.filter((path) => path.startsWith('agent/'))).toEqual([]);
    }

    const isRoutes = /(routes|app|guard|cookie|status|view|snapshot|schemas|local)\.ts$/.test(file);
    const text = await Bun.file(join(ROOT, file)).text();
    const values = [...text.matchAll(/^import (?!type)[^;]*from 'elysia'/gm)];
    const isSchema = /^src\/shared\/(wire(-state)?|http)\.ts$/.test(file);
    if (!isRoutes && !isSchema && file !== 'src/hub/agent-client/client.ts')
      expect(values.length).toBe(0);

    if (isRoutes && file.startsWith('src/')) {
      const tables = imports.filter((path) => path.endsWith('db/schema.ts'));
      expect(tables).toEqual([]);
    }
    if (file.includes('/caddyfile/')) {
      expect(imports.filter((path) => !path.includes('/caddyfile/'))).toEqual([]);
    }
    if (file.startsWith('agent/logs/')) {
      const outside = imports.filter((path) => !path.startsWith('agent/logs/'));
      expect(outside.filter((path) => path !== 'src/shared/wire.ts')).toEqual([]);
    }
    if (file !== 'src/main.ts') {
      expect(text).not.toMatch(/process\.(env|exit|argv|on)\b/);
      // ports.ts only tries whether a port is free.
      const listens = ['src/program/listen.ts', 'agent/caddy/ports.ts'];
      if (!listens.includes(file)) expect(text).not.toMatch(/\.listen\(|Bun\.serve\(/);
    }
  });
});

describe('the dashboard knows the hub by its API alone', () => {
  const pages = [...new Bun.Glob('src/web/**/*.{ts,tsx}').scanSync(ROOT)].toSorted();

  test.each(pages)('%s', async (file) => {
    const outside = (await importsOf(file)).filter((path) => !path.startsWith('src/web/'));
    expect(outside).toEqual([]);
    // Texts of strangers become text, never HTML; a `style` in HTML would be against the policy.
    const text = await Bun.file(join(ROOT, file)).text();
    expect(text).not.toMatch(/innerHTML|insertAdjacentHTML|document\.write|\sstyle="/i);
    expect(text).not.toMatch(/localStorage|sessionStorage/);
  });

  test.each(files.filter((file) => !file.startsWith('src/web/')))(
    'and %s not its code',
    async (file) => {
      const inside = (await importsOf(file)).filter((path) => path.startsWith('src/web/'));
      expect(inside).toEqual(file === 'src/hub/dashboard/assets.ts' ? ['src/web/index.html'] : []);
    },
  );
});
