/** Reads single settings and collects everything wrong with them; never repeats a value. */
import { isAbsolute, resolve } from 'node:path';
import { isLoopbackHost } from '../shared/loopback.ts';
import type { Role } from '../shared/setting.ts';
import { type Env, givenIn, SETTINGS, type SettingName, valueIn } from './settings.ts';

/** Everything wrong with the settings in one message, one problem a line. */
export class SettingsError extends Error {}

/**
 * A setting that is not set has its default from the table. A bad one is a fault, and what is
 * returned for it does not matter: `finish` throws.
 */
export type SettingsReader = {
  /** The data folder, absolute. */
  dataDir: string;
  /** Adds a fault: the name, then `what` ("must be …"). */
  fault: (name: string, what: string) => void;
  has: (name: SettingName) => boolean;
  /** `''` if it is not set and has no default. */
  text: (name: SettingName) => string;
  /** An absolute path. */
  path: (name: SettingName) => string;
  /** 0 to 65535. */
  port: (name: SettingName) => number;
  /** 1 to 65535, null if it is not set. */
  optionalPort: (name: SettingName) => number | null;
  /** 1 to a million. */
  count: (name: SettingName) => number;
  /** 1 to a million, null if it is not set. */
  optionalCount: (name: SettingName) => number | null;
  /** `true`, `1`, `false` or `0`, in any case. */
  flag: (name: SettingName) => boolean;
  oneOf: <T extends string>(name: SettingName, choices: readonly [T, ...T[]]) => T;
  /** An http or https address, without a trailing slash. */
  url: (name: SettingName) => string;
  /** Origins (`https://box.example`), separated by commas or spaces; a host alone has HTTPS unless it is this machine. */
  origins: (name: SettingName) => string[];
  /** Absolute paths of folders, separated by colons as in PATH. */
  folders: (name: SettingName) => string[];
  /** The content of the file it names; null if it is not set. */
  file: (name: SettingName) => string | null;
  /** NAME itself, or the trimmed content of the file that NAME_FILE names; null if neither is set. */
  secret: (name: SettingName) => string | null;
  /** Whether `secret` reads NAME_FILE. */
  hasFile: (name: SettingName) => boolean;
  /** The variables in a file of `NAME=value` lines; skips empty lines and `#` comments, unquotes. */
  envFile: (name: SettingName) => Record<string, string>;
  /** @throws SettingsError if there was any fault */
  finish: () => void;
};

/**
 * @param dataDir the data folder, absolute
 * @param readFile throws if the file cannot be read
 */
export function createReader(
  env: Env,
  role: Role,
  dataDir: string,
  readFile: (path: string) => string,
): SettingsReader {
  const faults: string[] = [];
  const fault = (name: string, what: string) => void faults.push(`${name} ${what}`);
  const given = (name: string) => givenIn(env, name);

  function text(name: SettingName): string {
    const { onOneMachine } = SETTINGS[name];
    if (role !== 'all' || onOneMachine === undefined || given(name)) return valueIn(env, name);
    return onOneMachine.replace(/^DATA_DIR\b/, () => dataDir);
  }

  function integer(name: SettingName, least: number, most: number, what: string): number {
    const value = text(name);
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= least && number <= most)) fault(name, `must be ${what}, ${least} to ${most}`);
    return number;
  }

  const port = (name: SettingName, least = 0) => integer(name, least, 65_535, 'a port');

  const count = (name: SettingName) => integer(name, 1, 1_000_000, 'a whole number');

  function file(name: string): string | null {
    const path = given(name);
    if (path === undefined) return null;
    try {
      return readFile(path);
    } catch {
      fault(name, 'names a file that cannot be read');
      return null;
    }
  }

  return {
    dataDir,
    fault,
    text,
    file,
    has: (name) => given(name) !== undefined,
    path: (name) => resolve(text(name)),
    port: (name) => port(name),
    optionalPort: (name) => (given(name) === undefined ? null : port(name, 1)),
    count: (name) => count(name),
    optionalCount: (name) => (given(name) === undefined ? null : count(name)),

    flag(name) {
      const value = text(name).toLowerCase();
      if (!['true', '1', 'false', '0'].includes(value)) fault(name, 'must be true or false');
      return value === 'true' || value === '1';
    },

    oneOf(name, choices) {
      const chosen = choices.find((choice) => choice === text(name));
      if (chosen === undefined) fault(name, `must be one of ${choices.join(', ')}`);
      return chosen ?? choices[0];
    },

    url(name) {
      const value = text(name);
      if (!/^https?:\/\//.test(value) || !URL.canParse(value)) {
        fault(name, 'must be an http:// or https:// address');
      }
      return value.replace(/\/+$/, '');
    },

    origins(name) {
      const all = text(name).split(/[\s,]+/);
      return all.filter(Boolean).map((given) => {
        const scheme = isLoopbackHost(given) ? 'http' : 'https';
        const url = URL.parse(/^https?:\/\//i.test(given) ? given : `${scheme}://${given}`);
        if (url?.pathname !== '/' || url.username || url.search || url.hash) {
          fault(name, 'must be origins like https://box.example, or hosts');
        }
        return url?.origin ?? '';
      });
    },

    folders(name) {
      const all = text(name).split(':').filter(Boolean);
      if (all.some((folder) => !isAbsolute(folder) || resolve(folder) === '/')) {
        fault(name, 'must be absolute paths other than /, separated by colons');
        return [];
      }
      return all.map((folder) => resolve(folder));
    },

    secret: (name) => given(name) ?? file(`${name}_FILE`)?.trim() ?? null,
    hasFile: (name) => given(name) === undefined && given(`${name}_FILE`) !== undefined,

    envFile(name) {
      const variables: Record<string, string> = {};
      for (const [at, raw] of (file(name) ?? '').split('\n').entries()) {
        const line = raw.trim();
        if (line === '' || line.startsWith('#')) continue;
        const match = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(?:"(.*)"|'(.*)'|(.*))$/.exec(line);
        if (match?.[1]) variables[match[1]] = match[2] ?? match[3] ?? match[4] ?? '';
        else fault(name, `must consist of NAME=value lines; line ${at + 1} is not one`);
      }
      return variables;
    },

    finish() {
      if (faults.length === 0) return;
      throw new SettingsError(
        `signalbox cannot start:\n${faults.map((line) => `  ${line}`).join('\n')}`,
      );
    },
  };
}
