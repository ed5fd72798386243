/** A newer Caddy that visits sites over HTTP/3, which curl cannot, and keeps its connections as a browser does. */
import { caddyIs, NEXT } from '../../../harness/caddys.ts';
import {
  bodyOf,
  type SitesCaddy,
  serveCaddyfile,
  statusOf,
} from '../../../hub/recipes/sites-caddy.ts';

/** A Caddy that can be one; null: there is none. */
export const VISITOR: string | null = NEXT ?? (caddyIs('>=2.9.0') ? 'caddy' : null);

/** By a name: how it shows itself, and to which port it connects. */
type Identity = { sni: string; cert?: { pem: string; key: string } };

/** What was got: the body and the status; a status of 502 if there was no connection. */
export type Http3Visitor = {
  /** @param host of the site, with its port */
  visit(identity: string, host: string): Promise<string>;
  stop(): Promise<void>;
};

/** @param port of the Caddy that is visited @param bin see `VISITOR` */
export async function startHttp3Visitor(
  identities: Readonly<Record<string, Identity>>,
  port: number,
  bin: string,
): Promise<Http3Visitor> {
  const visitor: SitesCaddy = await serveCaddyfile((own) => {
    const blocks = Object.entries(identities).map(([name, { sni, cert }]) =>
      [
        `http://${name}:${own} {`,
        `reverse_proxy https://127.0.0.1:${port} {`,
        'header_up Host {http.request.header.X-Host}',
        'transport http {',
        'versions 3',
        'tls_insecure_skip_verify',
        `tls_server_name ${sni}`,
        ...(cert ? [`tls_client_auth ${cert.pem} ${cert.key}`] : []),
        '}\n}\n}',
      ].join('\n'),
    );
    return ['{\n\tadmin off\n}', ...blocks].join('\n');
  }, bin);
  return {
    async visit(identity, host) {
      const answer = await visitor.get(identity, '/', [`X-Host: ${host}`]);
      // An empty body may come in chunks.
      return `${bodyOf(answer).replace('0\r\n\r\n', '')} ${statusOf(answer)}`;
    },
    stop: visitor.stop,
  };
}
