/** `/vhosts` on the hub's socket, where a vhost goes by its domain: for scripts on the host. */
import { Elysia, t } from 'elysia';
import { Failure } from '../../shared/failure.ts';
import { jsonBody } from '../../shared/json-body.ts';
import { nearest } from '../../shared/nearest.ts';
import { Lacking, lacking } from '../http/schemas.ts';
import type { Author, Change } from '../model/changes.ts';
import { NewVhost, written } from '../model/operation.ts';
import { byDomain, isNamed, type SiteSet, type Vhost } from '../model/vhost.ts';
import { createChange, deleteChange, toggleChange } from '../model/vhost-changes.ts';
import type { Publisher } from '../publish/publisher.ts';
import { VhostView, viewVhost } from './view.ts';

/** The answer to a change. */
const Changed = t.Composite([VhostView, Lacking]);

const ByDomain = t.Object({ domain: t.String() });

export type LocalVhostRoutesDeps = { publisher: Publisher; author: Author; bodyLimit: number };

export function localVhostRoutes({ publisher, author, bodyLimit }: LocalVhostRoutesDeps) {
  const view = (vhost: Vhost) => viewVhost(vhost, publisher.current());
  async function apply(change: Change<Vhost>) {
    const { result, behind } = await publisher.apply(change, author);
    return { ...view(result), ...lacking(behind) };
  }
  return new Elysia({ name: 'local-vhosts', prefix: '/vhosts' })
    .get('/', () => publisher.current().vhosts.toSorted(byDomain).map(view), {
      response: { 200: t.Array(VhostView) },
    })
    .delete('/', ({ query }) => apply(deletion(query.domain)), {
      query: ByDomain,
      response: { 200: Changed },
    })
    .use(jsonBody(bodyLimit))
    .post('/', ({ body }) => apply(written(body, createChange(body))), {
      body: t.Object(NewVhost),
      response: { 200: Changed },
    })
    .patch('/', ({ query, body }) => apply(switched(query.domain, body.enabled)), {
      query: ByDomain,
      body: t.Object({ enabled: t.Boolean() }),
      response: { 200: Changed },
    });
}

/** Turns a vhost on or off; one that is so already stays as it is. @throws as `find` */
const switched =
  (domain: string, enabled: boolean): Change<Vhost> =>
  (set, time) => {
    const vhost = find(set, domain);
    return vhost.enabled === enabled ? { done: vhost } : toggleChange(vhost.id)(set, time);
  };

/** Deletes a vhost, which is the result. @throws as `find` */
const deletion =
  (domain: string): Change<Vhost> =>
  async (set, time) => {
    const vhost = find(set, domain);
    const plan = await deleteChange(vhost.id)(set, time);
    return 'done' in plan ? { done: vhost } : { ...plan, result: vhost };
  };

/** By its domain, or without the scheme if no other site has that domain. @throws Failure NOT_FOUND */
function find({ vhosts }: SiteSet, domain: string): Vhost {
  const names = [domain, `http://${domain}`, `https://${domain}`];
  const [vhost] = names.flatMap((name) => vhosts.find((one) => isNamed(name, one)) ?? []);
  if (vhost) return vhost;
  const near = nearest(
    domain,
    vhosts.map((one) => one.domain),
  );
  throw new Failure('NOT_FOUND', `There is no site ${domain}.`, {
    hint: near && `Did you mean ${near}?`,
  });
}
