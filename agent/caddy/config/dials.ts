/**
 * Whether an upstream with placeholders could turn out to be a unix socket. A visitor can write any text into most
 * of them, `{http.request.host}` among them: in HTTP/2 it may have slashes. Pure.
 */
import { eachIn, isObject, type JsonObject, list, object } from '../../../src/shared/json.ts';

/** Every value that the configuration itself gives a placeholder; null: any text may come of one of them. */
type Values = ReadonlyMap<string, readonly (string | null)[]>;

/** Any text. */
const ANY = '\0';
/** Any text that a header may have: no NUL, at which a path to a socket would end (RFC 9110 5.5). */
const TEXT = '\uffff';
const IS_TEXT = /^http\.request\.(?:host|hostport|port|header)(?:\.|$)/;
const PLACEHOLDER = /\{([^{}]*)\}/;
/** So many texts are looked at; nobody has more on purpose. */
const MOST = 1_000_000;
/** How deep a variable may be made of others. */
const MOST_DEEP = 8;

/**
 * Says what unix sockets an upstream's address may be, with `{}` for what is not known: also before the slash, if
 * any network may come. One that begins with a host or a header and ends with a port can be no socket of ours.
 * @param config in which `vars` and `map` are looked up, as adapted
 * @param env Caddy's variables
 */
export function createDialReader(
  config: JsonObject,
  env: Readonly<Record<string, string>>,
): (dial: string) => readonly string[] {
  let values: Values | null = null;
  let left = MOST;
  const known = new Map<string, readonly string[]>();

  function textsOf(text: string, deep = 0): string[] {
    const found = PLACEHOLDER.exec(text);
    const before = found ? text.slice(0, found.index) : text;
    // An escape, or a lone brace.
    if (deep > MOST_DEEP || /[{}\\]/.test(before)) return [ANY];
    if (!found) return [text];
    const own = valuesOf(found[1] ?? '').flatMap((value) =>
      value === null || left < 0 ? ANY : textsOf(value, deep + 1),
    );
    const after = textsOf(text.slice(found.index + found[0].length), deep);
    left -= own.length * after.length;
    if (left < 0) return [ANY];
    return own.flatMap((one) => after.map((rest) => before + one + rest));
  }

  function valuesOf(name: string): readonly (string | null)[] {
    if (name.startsWith('env.')) return [env[name.slice('env.'.length)] ?? ''];
    values ??= settingsIn(config);
    // All names of Caddy and its modules have a dot; what only `map` could set is empty.
    return values.get(name) ?? [IS_TEXT.test(name) ? TEXT : name.includes('.') ? null : ''];
  }

  return (dial) => {
    if (!dial.includes('{')) return [];
    const sockets =
      known.get(dial) ??
      textsOf(dial)
        .filter(mayBeSocket)
        .map((text) => text.replaceAll(/[\0\uffff]/g, '{}'));
    known.set(dial, sockets);
    return sockets;
  };
}

/** Whether Caddy takes this, before the first slash of an address, for a unix socket: Go has its own small i. */
export const isUnix = (network: string): boolean =>
  /^unix[\w+]*$/.test(
    network.replaceAll('\x85', ' ').trim().replaceAll('\u0130', 'i').toLowerCase(),
  );

/** @param text in which `ANY` and `TEXT` stand for what is not known */
function mayBeSocket(text: string): boolean {
  const [head = ''] = text.split(/[/\0\uffff]/, 1);
  const isOpen = [ANY, TEXT].includes(text[head.length] ?? '');
  const isEnded = !text.includes(ANY) && /:\d+$/.test(text.slice(text.lastIndexOf(TEXT)));
  if (isOpen && isEnded) return false;
  if (isOpen) return isUnix(head) || isUnix(`${head}${'unix'.slice(head.trim().length)}`);
  return text.length > head.length && isUnix(head);
}

function settingsIn(config: JsonObject): Values {
  const values = new Map<string, (string | null)[]>();
  function add(name: string, value: string | null): void {
    const known = values.get(name);
    // Before it is set, it is empty.
    if (known) known.push(value);
    else values.set(name, ['', value]);
  }
  eachIn(config, (value) => {
    if (!isObject(value)) return;
    if (value.handler === 'vars') {
      for (const [name, text] of Object.entries(value)) add(`http.vars.${name}`, String(text));
    }
    if (value.handler !== 'map') return;
    for (const [at, name] of list(value.destinations).entries()) {
      const key = String(name).replaceAll(/[{}]/g, '');
      add(key, String(list(value.defaults)[at] ?? ''));
      for (const mapping of list(value.mappings).map(object)) {
        const output = list(mapping.outputs)[at];
        if (output === undefined || output === null) continue;
        // What it captures comes from a request.
        const isCapture = mapping.input_regexp !== undefined && String(output).includes('$');
        const text = IS_TEXT.test(String(value.source).replaceAll(/[{}]/g, '')) ? TEXT : null;
        add(key, isCapture ? text : String(output));
      }
    }
  });
  return values;
}
