/** Sites that Caddy serves with certificates of its own authority. */
import { ask, type Stack, until } from './stack.ts';

type Owner = { headers: Record<string, string> };

/** Adds a site through the hub that answers with its name, and waits until it is served. */
export async function addSecureSite(stack: Stack, owner: Owner, name: string): Promise<void> {
  const json = { domain: `${name}:${stack.httpsPort}`, config: `respond ${name}` };
  const made = await ask(`${stack.hub}/vhosts`, { json, ...owner });
  if (made.status !== 201) throw new Error(made.text);
  await servedSecurely(stack, name);
}

/** Waits until a site is served over TLS. @throws Error if it is not within `timeout` milliseconds */
export async function servedSecurely(stack: Stack, name: string, timeout?: number): Promise<void> {
  const served = () =>
    fetch(`https://127.0.0.1:${stack.httpsPort}/`, {
      headers: { Host: `${name}:${stack.httpsPort}` },
      keepalive: false,
      tls: { rejectUnauthorized: false, serverName: name },
    }).then(
      async (answer) => (await answer.text()) === name,
      () => false,
    );
  await until(served, `https://${name}`, timeout);
}
