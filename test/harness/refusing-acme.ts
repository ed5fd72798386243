/** Stands in for a certificate authority that accepts accounts and refuses every order. */

export function startRefusingAcme() {
  const orders: string[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request): Response {
      const base = new URL('/', request.url).href.slice(0, -1);
      const headers = { 'Replay-Nonce': crypto.randomUUID().replaceAll('-', '') };
      switch (new URL(request.url).pathname) {
        case '/directory':
          return Response.json({
            newNonce: `${base}/nonce`,
            newAccount: `${base}/account`,
            newOrder: `${base}/order`,
            revokeCert: `${base}/revoke`,
            keyChange: `${base}/key`,
          });
        case '/nonce':
          return new Response(null, { headers });
        case '/account':
          return Response.json(
            { status: 'valid' },
            { status: 201, headers: { ...headers, Location: `${base}/account/1` } },
          );
        default:
          orders.push(request.url);
          return Response.json(
            {
              type: 'urn:ietf:params:acme:error:rateLimited',
              detail: 'too many certificates (see /var/lib/authority/limits)',
              status: 429,
            },
            { status: 429, headers: { ...headers, 'Content-Type': 'application/problem+json' } },
          );
      }
    },
  });
  return {
    directory: `http://127.0.0.1:${server.port}/directory`,
    orders,
    stop: () => server.stop(true),
  };
}
