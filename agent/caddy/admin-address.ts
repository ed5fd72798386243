/** Whether an upstream's address is Caddy's own admin endpoint. Pure. */

/** What Caddy fills in per request; `{env.…}` is set by the operator. */
const UNKNOWN = /\{(?!env\.)[^{}]*\}/;

/** The ways to write this machine: names, 127/8 and its short forms, the unspecified address. */
const HERE =
  /^(|localhost|.*\.localhost|127(\.\d+){1,3}|0(\.0){0,3}|0x7f\w*(\..*)?|0177(\..*)?|2130706433|::1?|::ffff:.*|(0+:){7}0*1?)$/i;

/**
 * @param admin as a Caddyfile writes it, `localhost:2019` or `unix//run/caddy.sock`
 * @param resolvePath resolves the links and dots of a path on the host
 * @returns whether an address is, or could become, the admin endpoint
 */
export function createAdminMatcher(
  admin: string,
  resolvePath: (path: string) => string,
): (address: string) => boolean {
  if (admin.startsWith('unix/')) {
    const socket = resolvePath(admin.slice('unix/'.length));
    return (address) => {
      if (UNKNOWN.test(address)) return canBe(address, `unix/${socket}`);
      // Caddy 2.7 and later accept a file mode after a bar.
      const [, path = null] = /^unix[\w+]*\/([^|]*)/i.exec(address) ?? [];
      return path !== null && resolvePath(path) === socket;
    };
  }
  const [adminHost, adminPort] = split(admin);
  return (address) => {
    const place = address.replace(/^tcp[46]?\//i, '');
    if (UNKNOWN.test(place)) {
      const hosts = [adminHost, 'localhost', '127.0.0.1', '[::1]', ''];
      return hosts.some((host) => canBe(place, `${host}:${adminPort}`));
    }
    const [host, port] = split(place);
    return covers(port, Number(adminPort)) && (HERE.test(host) || host === adminHost);
  };
}

/** The host in lower case without brackets, and what follows the last colon. */
function split(address: string): [host: string, port: string] {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).toLowerCase();
  return [host.replace(/^\[|\]$/g, ''), address.slice(colon + 1)];
}

/** Whether `wanted` is in `ports`, one port or a range such as `2018-2020`. */
function covers(ports: string, wanted: number): boolean {
  const [first = Number.NaN, last = first] = ports.split('-').map(Number);
  return wanted >= first && wanted <= last;
}

/** Whether some values of its placeholders make `pattern` equal to `text`. */
function canBe(pattern: string, text: string): boolean {
  const [head = '', ...rest] = pattern.split(new RegExp(UNKNOWN, 'g'));
  const tail = rest.pop() ?? '';
  if (!text.startsWith(head) || !text.endsWith(tail)) return false;
  let at = head.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - tail.length;
}
