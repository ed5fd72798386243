/** A house whose sites are explained: a hub with its Caddy, and an owner who asks. */
import type { Explanation } from '../../../src/features/explain/schemas.ts';
import { type Owner, startOwner } from '../../harness/owner.ts';
import { ask, until } from '../../harness/stack.ts';
import type { Place, Site } from './faults/fault.ts';
import { createStops } from './services/listening.ts';

/** An operation, as a cure has it. */
type Operation = NonNullable<NonNullable<Explanation['cure']>['operation']>;

/** A site as the response to its creation has it. */
type Made = { id: number; domain: string; warnings: { code: string; message: string }[] };

export type House = Awaited<ReturnType<typeof startHouse>>;

/** @param env settings of the hub besides */
export async function startHouse(env: Record<string, string> = {}) {
  const owner = await startOwner(env);
  const { stack } = owner;
  const stops = createStops();
  let last = 0;

  const add = (site: Site) =>
    expectStatus<Made>(owner, 201, 'POST', '/vhosts', {
      domain: `http://site-${++last}.example`,
      ...site,
    });
  const place: Place = {
    stops,
    folder: stack.folder,
    httpPort: stack.httpPort,
    httpsPort: stack.httpsPort,
    add,
    async policy(recipe, values) {
      const name = `policy-${++last}`;
      await expectStatus(owner, 201, 'POST', '/policies', { name, recipe, values });
      return name;
    },
  };

  return {
    owner,
    stack,
    place,
    /** Creates a site. @returns it, as it is stored */
    add,

    /** @param what a site by its id, or an operation */
    explain: (
      what: { vhost: number } | { operation: object },
      path?: string,
    ): Promise<Explanation> =>
      until(
        async () => {
          const json = path === undefined ? what : { ...what, path };
          const { status, body, text } = await owner.call<Explanation>(
            'POST',
            '/explanations',
            json,
          );
          if (status === 200) return body;
          // So many within a minute are for tests only.
          if (status !== 429) throw new Error(`POST /explanations: ${status} ${text}`);
          return null;
        },
        'an explanation',
        90_000,
      ),

    /** Does what the button of a cure does, which a preview must have accepted. */
    async carryOut(operation: Operation) {
      const { valid } = await expectStatus<{ valid: boolean }>(
        owner,
        200,
        'POST',
        '/preview',
        operation,
      );
      if (!valid) throw new Error(`not valid: ${JSON.stringify(operation)}`);
      await expectStatus(owner, 200, 'POST', '/vhosts/bulk', { operations: [operation] });
    },

    /** Changes a site as a person does. */
    change: (id: number, site: Partial<Site>) =>
      expectStatus(owner, 200, 'PUT', `/vhosts/${id}`, site),

    /** What a visitor of the site gets: the status, or why there is none. */
    visit: (domain: string, path = '/'): Promise<number> =>
      stack.served(new URL(`http://${domain.replace(/^https?:\/\//, '')}`).hostname, path).then(
        ({ status }) => status,
        () => 0,
      ),

    /** Waits until Caddy has logged what the authority answered. */
    settled: (id: number) =>
      until(async () => {
        const { body } = await ask<{ errors: { acme: unknown } }>(
          `${stack.hub}/vhosts/${id}/state`,
          owner,
        );
        return body.errors.acme !== null;
      }, 'the answer of the authority'),

    async stop() {
      await owner.stop();
      await stops.stop();
    },
  };
}

/** @throws Error with the answer, if its status is another */
export async function expectStatus<T>(
  { call }: Pick<Owner, 'call'>,
  wanted: number,
  method: string,
  path: string,
  json: object,
): Promise<T> {
  const { status, body, text } = await call<T>(method, path, json);
  if (status !== wanted) throw new Error(`${method} ${path}: ${status} ${text}`);
  return body;
}
