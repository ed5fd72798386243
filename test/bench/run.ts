/** `bun run bench [NAME …]`: measures on this machine and prints tables; nothing is asserted. */
import { cpus } from 'node:os';

const BENCHES: Record<string, () => Promise<{ run: () => Promise<void> }>> = {
  publish: () => import('./publish.ts'),
  streams: () => import('./streams.ts'),
  several: () => import('./several.ts'),
  crowd: () => import('./crowd.ts'),
  policy: () => import('./policy.ts'),
  outages: () => import('./outages.ts'),
  receivers: () => import('./receivers.ts'),
  logs: () => import('./logs.ts'),
  'logs-merged': () => import('./logs-merged.ts'),
  import: () => import('./import.ts'),
  apply: () => import('./apply.ts'),
  replay: () => import('./replay.ts'),
  binary: () => import('./binary.ts'),
  memory: () => import('./memory.ts'),
  day: () => import('./day.ts'),
  dashboard: () => import('./dashboard.ts'),
  screenshots: () => import('./screenshots.ts'),
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  process.stderr.write(
    `unknown bench: ${unknown.join(' ')}; available: ${Object.keys(BENCHES).join(', ')}\n`,
  );
  process.exit(2);
}
console.log(`${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, Bun ${Bun.version}\n`);
for (const name of wanted.length > 0 ? wanted : Object.keys(BENCHES)) {
  const bench = await BENCHES[name]?.();
  await bench?.run();
}
