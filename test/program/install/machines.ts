/** Machines to plan for, and plans in short. */
import { planInstall } from '../../../src/program/install/plan.ts';
import type { Owner, Step, SystemState } from '../../../src/program/install/steps.ts';
import type { Role } from '../../../src/shared/setting.ts';

export const SECRET = 'not-to-be-system-not-to-be-system-not-to-be-system';
export const ROOTS: Owner = { uid: 0, gid: 0, mode: 0o755 };
export const UNIT = '/etc/systemd/system/signalbox-';

/** A Debian with the caddy package, and signalbox in /usr/local/bin. */
export function debian(
  files: Record<string, string> = {},
  more: Partial<SystemState> = {},
): SystemState {
  const all: Record<string, string> = { '/etc/caddy/Caddyfile': ':80\n', ...files };
  const folders = ['/etc/caddy'];
  return {
    text: (path) => all[path] ?? null,
    owner: (path) => (path in all || folders.includes(path) ? ROOTS : null),
    caddy: { gid: 995, unit: true, runs: true, program: true },
    ports: [],
    live: true,
    program: { path: '/usr/local/bin/signalbox', safe: true },
    ...more,
  };
}
export const noCaddy = { gid: null, unit: false, runs: false, program: false };
export const quiet = { gid: 995, unit: true, runs: false, program: true };
export const install = (
  role: Role,
  system: SystemState,
  managed = false,
  listen: string | null = null,
) => planInstall(role, managed, listen, system, () => SECRET);
/** A plan in short. */
export const brief = (steps: Step[]) =>
  steps.map((step) => {
    if (step.do === 'run') return step.command.join(' ');
    return `${step.do} ${'to' in step && step.do !== 'own' ? step.to : step.path}`;
  });
/** The files a plan writes, with their texts. */
export const after = (steps: Step[]) =>
  Object.fromEntries(
    steps.flatMap((step) => (step.do === 'write' ? [[step.path, step.text]] : [])),
  );
