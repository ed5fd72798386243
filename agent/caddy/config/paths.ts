/**
 * Which paths a configuration may not name, judged in the JSON that Caddy makes of a Caddyfile. If
 * Caddy has a user of its own, the operating system decides, and this only protects Caddy's own files;
 * if not, it is what keeps a site away from the files of hub and agent. Pure, except for `resolve`.
 */
import { isAbsolute, resolve as resolveName } from 'node:path';
import { field, firstIn, isObject, type Json, type JsonObject } from '../../../src/shared/json.ts';
import { isBelow } from '../../../src/shared/system/files.ts';
import { createDialReader, isUnix } from './dials.ts';
import { readExpression } from './expression.ts';
import { contentPaths } from './file-contents.ts';

/** Raise it when something is refused that was not: stored Caddyfiles are then judged again. */
export const PATH_RULES = 4;

export type PathRules = {
  /** Absolute paths of the files and folders that no configuration may use. */
  dirs: readonly string[];
  /**
   * The same, whoever Caddy’s user is, and compared by their names: a disk that hangs must not be looked at.
   */
  barred: readonly string[];
  /** Resolves the links and dots of a path on the host, as far as it exists. */
  resolve: (path: string) => string;
  /** Whether Caddy shares the user of hub or agent: then only paths that can be judged are allowed. */
  strict: boolean;
  /** Caddy's variables. */
  env: Readonly<Record<string, string>>;
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
const SOCKET = /^([^/]*)\/([^|]*)/;
/** A listener of Caddy's own process, its admin endpoint among them. */
const OPEN_FILE = /^\s*fd(?:gram)?\s*\//i;

const reserved = (directive: string) =>
  `${directive} must not lead to files of signalbox or of running processes.`;
const unclear = (directive: string) =>
  `${directive} needs an absolute path without placeholders while Caddy runs as the user of signalbox.`;
const UNCLEAR_UPSTREAM =
  'An upstream that a placeholder begins could be a unix socket. While Caddy runs as the user of signalbox, end it with a port, as in `{http.request.host}:80`.';
const SECRETS_LOG =
  '`insecure_secrets_log` is not allowed: Caddy would write into any file, and anyone who reads it could decrypt the connections.';
const OPEN_FILES = 'bind must not use an open file of Caddy: it could be the admin endpoint.';
const ESCAPED = 'The placeholder {file.…} must not have a backslash.';

/**
 * Why a configuration is refused, as a sentence that names the directive but no path, or null.
 * @param config the adapted configuration, before anything is added to it
 */
export function findForbiddenPath(config: JsonObject, rules: PathRules): string | null {
  const { resolve, strict, barred } = rules;
  /** Asked for when a path is named, as few configurations do. */
  let dirs: readonly string[] | null = null;
  /** The same, if an upstream is named. */
  let socketsOf: ReturnType<typeof createDialReader> | null = null;

  function judge(path: string, directive: string, serves = false): string | null {
    if (strict && (!isAbsolute(path) || path.includes('{'))) return unclear(directive);
    const isBarred = (name: string) =>
      barred.some((dir) => isBelow(name, dir) || (serves && isBelow(dir, name)));
    if (isAbsolute(path) && isBarred(resolveName(path))) return reserved(directive);
    const real = resolve(path);
    if (isBarred(real)) return reserved(directive);
    dirs ??= rules.dirs.map(resolve);
    const hit = dirs.some((dir) => isBelow(real, dir) || (serves && strict && isBelow(dir, real)));
    return hit ? reserved(directive) : null;
  }

  function judgeText(text: Json): string | null {
    if (typeof text !== 'string') return null;
    // As nearly all texts.
    if (!text.includes('/') && !text.includes('{')) return null;
    for (const path of contentPaths(text)) {
      const found = path.includes('\\') ? ESCAPED : judge(path, 'The placeholder {file.…}');
      if (found !== null) return found;
    }
    const [, network = '', socket = ''] = SOCKET.exec(text) ?? [];
    return isUnix(network) ? judge(socket, 'A unix socket') : null;
  }

  function judgeExpression(source: string): string | null {
    const { fault, texts } = readExpression(source);
    return fault ?? first(texts, judgeText);
  }

  function judgeList(name: string, values: readonly Json[]): string | null {
    const texts = values.filter((item) => typeof item === 'string');
    const directive = LISTS[name];
    if (directive) return first(texts, (path) => judge(path, directive));
    if (name === 'listen' && texts.some((text) => OPEN_FILE.test(text))) return OPEN_FILES;
    const isOpen = strict && name === 'listen' && texts.some((text) => text.includes('{'));
    return isOpen ? unclear('bind') : null;
  }

  function judgeMember(name: string, value: Json, owner: JsonObject): string | null {
    if (name === 'insecure_secrets_log') return SECRETS_LOG;
    if (Array.isArray(value)) return judgeList(name, value);
    if (name === 'expression' && owner.handler === undefined) {
      return judgeExpression(String(field(value, 'expr') ?? value));
    }
    if (strict && name === 'dial' && typeof value === 'string') {
      const isOpen = (text: string) => text.split('/', 1)[0]?.includes('{');
      socketsOf ??= createDialReader(config, rules.env);
      return first(socketsOf(value), (text) => (isOpen(text) ? UNCLEAR_UPSTREAM : judgeText(text)));
    }
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

  return firstIn(config, (value) => (isObject(value) ? judgeObject(value) : judgeText(value)));
}

/** The first answer that is not null. */
function first<T>(items: Iterable<T>, judge: (item: T) => string | null): string | null {
  for (const item of items) {
    const found = judge(item);
    if (found !== null) return found;
  }
  return null;
}
