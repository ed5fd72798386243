/** The endpoints of a vhost as Caddy's own configuration names them. Pure. */
import { portOptions } from '../../shared/caddyfile/preamble.ts';
import { keysOf, type Vhost } from '../publish/vhost.ts';

/** A host in lower case and punycode, without brackets, empty for any; and a port. */
export type Endpoint = { name: string; port: number };

/** Finds the endpoints of vhosts under a preamble; leaves out addresses that only Caddy can resolve. */
export function endpointsUnder(preamble: string): (vhost: Vhost) => Endpoint[] {
  const ports = portOptions(preamble);
  return (vhost) => {
    const found = new Map<string, Endpoint>();
    for (const key of keysOf(vhost, preamble, ports)) {
      const match = /^(https?:\/\/)?(\[[^\]]*\]|[^:/{]*)(?::(\d+))?(?:\/.*)?$/s.exec(key);
      if (!match) continue;
      const [, scheme, host = '', port] = match;
      const defaultPort = scheme === 'http://' ? ports.http : ports.https;
      const endpoint = { name: host.replace(/^\[|\]$/g, ''), port: Number(port ?? defaultPort) };
      found.set(keyOfEndpoint(endpoint), endpoint);
    }
    return [...found.values()];
  };
}

export const keyOfEndpoint = ({ name, port }: Endpoint): string => `${port} ${name}`;
