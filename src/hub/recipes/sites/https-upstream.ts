/** `https-upstream`: forwards to a service that speaks HTTPS with a certificate of its own. */
import { t } from 'elysia';
import { defineRecipe } from '../define.ts';
import { flag } from '../fields.ts';

export const httpsUpstream = defineRecipe({
  id: 'https-upstream',
  kind: 'site',
  title: 'Service with HTTPS',
  description:
    'Forwards every request to a service that speaks only HTTPS, such as Proxmox or a UniFi controller.',
  fields: t.Object(
    {
      address: t.String({
        title: 'Service',
        description: 'where the service listens, without https://',
        format: 'host-port',
        maxLength: 260,
        examples: ['192.168.1.10:8006'],
      }),
      verify: flag({
        title: 'Verify the certificate',
        description: 'whether its certificate must be one that this machine trusts',
      }),
      ownHost: flag({
        title: 'Its own host name',
        description: 'whether the Host header is the address of the service, instead of the site’s',
      }),
    },
    { additionalProperties: false },
  ),
  needs: { modules: ['http.handlers.reverse_proxy'] },
  example: { address: '192.168.1.10:8006' },
  write: ({ address, verify = false, ownHost = false }) => [
    { text: `reverse_proxy https://${address} {`, field: 'address' },
    // Versions differ in which they send if nothing is said.
    `\theader_up Host ${ownHost ? '{http.reverse_proxy.upstream.hostport}' : '{http.request.hostport}'}`,
    ...(verify ? [] : ['\ttransport http {', '\t\ttls_insecure_skip_verify', '\t}']),
    '}',
  ],
});
