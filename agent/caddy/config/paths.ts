/**
 * Which paths a configuration may not name, judged in the JSON that Caddy makes of a Caddyfile. If
 * Caddy has a user of its own, the operating system decides, and this only protects Caddy's own files;
 * if not, it is what keeps a site away from the files of hub and agent. Pure, except for `resolve`.
 */
import { isAbsolute } from 'node:path';
import type { Json, JsonObject } from '../../../src/shared/json.ts';
import { isBelow } from '../../../src/shared/system/files.ts';

export type PathRules = {
  /** Absolute paths of the files and folders that no configuration may use. */
  dirs: readonly string[];
  /** Resolves the links and dots of a path on the host, as far as it exists. */
  resolve: (path: string) => string;
  /** Whether Caddy shares the user of hub or agent: then only paths that can be judged are allowed. */
  strict: boolean;
};

/** Members that hold the path of a file, with the directive that writes them. */
const FILES: Readonly<Record<string, string>> = {
  filename: 'log',
  template_file: 'file_server',
  certificate: 'tls',
  private_key: 'pki',
  client_certificate_file: 'tls_client_auth',
  client_certificate_key_file: 'tls_client_auth',
};
/** Members that hold the path of a folder to serve. */
const FOLDERS: Readonly<Record<string, string>> = { root: 'root', file_root: 'templates' };
/** Members that hold a list of paths. */
const LISTS: Readonly<Record<string, string>> = {
  load_folders: 'tls',
  folders: 'tls',
  files: 'tls',
  pem_files: 'tls',
  root_ca_pem_files: 'tls_trusted_ca_certs',
  trusted_roots_pem_files: 'tls',
  trusted_ca_certs_pem_files: 'tls',
};

/** Caddy's default for `root`: what a `vars` handler set, which is judged there. */
const INHERITED = '{http.vars.root}';
/** Caddy 2.8 and later replace this by a file's content, in any text. */
const FILE_CONTENT = /\{file\.([^}]*)/g;
const UNIX = /^unix[\w+]*\/([^|]*)/i;

const reserved = (directive: string) =>
  `${directive} must not lead to files of signalbox or of running processes.`;
const unclear = (directive: string) =>
  `${directive} needs an absolute path without placeholders while Caddy runs as the user of signalbox.`;

/**
 * Why a configuration is refused, as a sentence that names the directive but no path, or null.
 * @param config the adapted configuration, before anything is added to it
 */
export function findForbiddenPath(config: JsonObject, rules: PathRules): string | null {
  const { resolve, strict } = rules;
  const dirs = rules.dirs.map(resolve);

  function judge(path: string, directive: string, serves = false): string | null {
    if (strict && (!isAbsolute(path) || path.includes('{'))) return unclear(directive);
    const real = resolve(path);
    const hit = dirs.some((dir) => isBelow(real, dir) || (serves && strict && isBelow(dir, real)));
    return hit ? reserved(directive) : null;
  }

  function judgeText(text: string): string | null {
    // Of the many texts of a large configuration, hardly any has one.
    for (const [, path = ''] of text.includes('{file.') ? text.matchAll(FILE_CONTENT) : []) {
      const found = judge(path, 'The placeholder {file.…}');
      if (found !== null) return found;
    }
    const socket = UNIX.exec(text)?.[1];
    return socket === undefined ? null : judge(socket, 'A unix socket');
  }

  function judgeList(name: string, values: readonly Json[]): string | null {
    const texts = values.filter((item) => typeof item === 'string');
    const directive = LISTS[name];
    if (directive) return first(texts, (path) => judge(path, directive));
    const isOpen = strict && name === 'listen' && texts.some((text) => text.includes('{'));
    return isOpen ? unclear('bind') : null;
  }

  function judgeMember(name: string, value: Json, owner: JsonObject): string | null {
    if (Array.isArray(value)) return judgeList(name, value);
    if (typeof value !== 'string' || value === INHERITED || value.startsWith('-----BEGIN')) {
      return null;
    }
    const folder = FOLDERS[name];
    if (folder) return judge(value, folder, true);
    const isKey = name === 'key' && typeof owner.certificate === 'string';
    const file = isKey ? FILES.certificate : FILES[name];
    return file ? judge(value, file) : null;
  }

  function judgeObject(object: JsonObject): string | null {
    const names = Object.keys(object);
    // A name that a request completes could be `root`.
    if (strict && object.handler === 'vars' && names.some((name) => name.includes('{'))) {
      return unclear('vars');
    }
    return first(
      names,
      (name) => judgeText(name) ?? judgeMember(name, object[name] ?? null, object),
    );
  }

  const left: Json[] = [config];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    let found: string | null = null;
    if (Array.isArray(value)) {
      for (const item of value) left.push(item);
    } else if (typeof value === 'string') {
      found = judgeText(value);
    } else if (typeof value === 'object' && value !== null) {
      found = judgeObject(value);
      for (const name of Object.keys(value)) left.push(value[name] ?? null);
    }
    if (found !== null) return found;
  }
  return null;
}

/** The first answer that is not null. */
function first<T>(items: readonly T[], judge: (item: T) => string | null): string | null {
  for (const item of items) {
    const found = judge(item);
    if (found !== null) return found;
  }
  return null;
}
