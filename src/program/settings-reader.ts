/** Reads single settings and gathers their faults; no value is ever repeated in one. */
import { isAbsolute, resolve } from 'node:path';

export type Env = Readonly<Record<string, string | undefined>>;

/** All faults of a start in one message, one a line. */
export class SettingsError extends Error {}

/** @param readFile throws where a file cannot be read */
export function createReader(env: Env, readFile: (path: string) => string) {
  const faults: string[] = [];
  const fault = (name: string, what: string) => void faults.push(`${name} ${what}`);
  /** An empty value counts as absent. */
  const value = (name: string): string | undefined => env[name]?.trim() || undefined;

  function integer(name: string, least: number, most: number, what: string): number | null {
    const text = value(name);
    if (text === undefined) return null;
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    fault(name, what);
    return null;
  }

  const port = (name: string, least: number) =>
    integer(name, least, 65_535, `must be a port, ${least} to 65535`);

  function file(name: string): string | null {
    const path = value(name);
    if (path === undefined) return null;
    try {
      return readFile(path);
    } catch {
      fault(name, 'names a file that cannot be read');
      return null;
    }
  }

  return {
    fault,
    file,
    has: (name: string): boolean => value(name) !== undefined,
    text: (name: string, otherwise: string): string => value(name) ?? otherwise,
    port: (name: string, otherwise: number): number => port(name, 0) ?? otherwise,
    optionalPort: (name: string): number | null => port(name, 1),
    count: (name: string, otherwise: number): number =>
      integer(name, 1, 1_000_000, 'must be a whole number from 1') ?? otherwise,

    flag(name: string, otherwise: boolean): boolean {
      const text = value(name)?.toLowerCase();
      if (text === undefined) return otherwise;
      if (text === 'true' || text === '1') return true;
      if (text !== 'false' && text !== '0') fault(name, 'must be true or false');
      return false;
    },

    /** One of `choices`; where nothing is said the first one, or another that is the default. */
    oneOf<T extends string>(
      name: string,
      choices: readonly [T, ...T[]],
      otherwise: T = choices[0],
    ): T {
      const text = value(name);
      const chosen = text === undefined ? otherwise : choices.find((choice) => choice === text);
      if (chosen === undefined) fault(name, `must be one of ${choices.join(', ')}`);
      return chosen ?? otherwise;
    },

    /** An http or https address without a trailing slash. */
    url(name: string, otherwise: string): string {
      const text = value(name) ?? otherwise;
      if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
        fault(name, 'must be an http:// or https:// address');
      }
      return text.replace(/\/+$/, '');
    },

    /** Origins (`https://box.example`) or hosts, with commas or spaces between, as hosts. */
    hosts(name: string): string[] {
      return (value(name)?.split(/[\s,]+/) ?? []).filter(Boolean).map((text) => {
        const origin = /^https?:\/\//i.test(text) ? text : `http://${text}`;
        const url = URL.canParse(origin) ? new URL(origin) : null;
        if (url?.pathname !== '/' || url.username || url.search || url.hash) {
          fault(name, 'must hold origins like https://box.example, or hosts');
        }
        return url ? url.host.replace(/:(80|443)$/, '') : '';
      });
    },

    /** Absolute folders with colons between, as on a PATH. */
    folders(name: string): string[] {
      const all = (value(name)?.split(':') ?? []).filter(Boolean);
      if (all.some((folder) => !isAbsolute(folder) || resolve(folder) === '/')) {
        fault(name, 'must hold absolute folders below the root, with colons between');
      }
      return all.map((folder) => resolve(folder));
    },

    /** NAME itself, or the content of the file that NAME_FILE names; null where neither is set. */
    secret(name: string): string | null {
      return value(name) ?? (file(`${name}_FILE`)?.trim() || null);
    },

    /** `NAME=value` lines; empty lines and `#` comments are passed over, quotes around a value go. */
    envFile(name: string): Record<string, string> {
      const variables: Record<string, string> = {};
      for (const [at, raw] of (file(name) ?? '').split('\n').entries()) {
        const line = raw.trim();
        if (line === '' || line.startsWith('#')) continue;
        const match = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(?:"(.*)"|'(.*)'|(.*))$/.exec(line);
        if (!match?.[1]) {
          fault(name, `has a line ${at + 1} that is not NAME=value`);
          continue;
        }
        variables[match[1]] = match[2] ?? match[3] ?? match[4] ?? '';
      }
      return variables;
    },

    /** @throws SettingsError where there was any fault */
    finish(): void {
      if (faults.length === 0) return;
      throw new SettingsError(
        `signalbox cannot start:\n${faults.map((one) => `  ${one}`).join('\n')}`,
      );
    },
  };
}
