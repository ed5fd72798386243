/** The sites of the hub on this machine, by the names that someone types. */
import type { Static } from 'elysia';
import type { VhostView } from '../../../hub/api/vhost-view.ts';
import { isNamed } from '../../../hub/model/vhost.ts';
import { nearest } from '../../../shared/nearest.ts';
import { visible } from '../../../shared/visible.ts';
import type { SiteState, Status } from '../../../web/lib/types.ts';
import { type Health, healthOf, outagesIn, reportedProblems } from '../../../web/sites/problem.ts';
import type { Cli } from '../command.ts';
import { askLocalHub, type LocalAnswer, type LocalRequest, Refused } from './local-hub.ts';

export type Site = Static<typeof VhostView> & {
  /** The agents whose proxies lack the change. */
  behind?: string[];
  /** Whether it is live, if that was asked. */
  health?: Health;
};

type HubOf = Pick<Cli, 'env' | 'progress'>;

/** @throws Refused */
export const listSites = async ({ env }: Pick<Cli, 'env'>): Promise<Site[]> =>
  (await askLocalHub<Site[]>(env, { path: '/vhosts' })).body;

/** Sites with what the dashboard says of their state. @throws Refused */
export async function withHealth(
  sites: readonly Site[],
  { env }: Pick<Cli, 'env'>,
): Promise<Site[]> {
  const [{ body: status }, states] = await Promise.all([
    askLocalHub<Status>(env, { path: '/status' }),
    // Without agent or proxy there is none, as the status says.
    askLocalHub<SiteState[]>(env, { path: '/vhosts/state' }).catch(() => ({ body: [] })),
  ]);
  const stateOf = new Map(states.body.map((state) => [state.id, state]));
  const [reported, outages] = [reportedProblems(status), outagesIn(status)];
  return sites.map((site) => ({
    ...site,
    health: healthOf(site, reported.get(site.id), stateOf.get(site.id), outages),
  }));
}

/**
 * By its domain, or without the scheme if no other site has that domain.
 * @throws Refused, naming the site that was probably meant
 */
export function siteNamed(name: string, sites: readonly Site[]): Site {
  const found = findBy(name, sites, ({ domain }) => [domain]);
  if (found) return found;
  const other = findBy(name, sites, ({ addresses }) => addresses);
  const near = nearest(
    name,
    sites.map(({ domain }) => domain),
  );
  const hint = other ? `It is an address of ${other.domain}.` : near && `Did you mean ${near}?`;
  throw new Refused({
    code: 'NOT_FOUND',
    message: `There is no site ${name}.`,
    ...(hint !== undefined && { hint }),
  });
}

/** As `siteNamed`, but by any of its addresses. @throws Refused */
export const siteWith = (name: string, sites: readonly Site[]): Site =>
  findBy(name, sites, ({ domain }) => [domain]) ??
  findBy(name, sites, ({ addresses }) => addresses) ??
  siteNamed(name, sites);

const findBy = (name: string, sites: readonly Site[], namesOf: (site: Site) => readonly string[]) =>
  [name, `http://${name}`, `https://${name}`]
    .flatMap(
      (typed) =>
        sites.find((one) => namesOf(one).some((domain) => isNamed(typed, { domain }))) ?? [],
    )
    .at(0);

/** A site as it is now, with its entity tag. @throws Refused */
export const readSite = ({ id }: Site, { env }: Pick<Cli, 'env'>): Promise<LocalAnswer<Site>> =>
  askLocalHub<Site>(env, { path: `/vhosts/${id}` });

/** Leaves out what is wrong with the upstream: the command is about the change. @throws Refused */
export async function publishSite(request: LocalRequest, { env, progress }: HubOf): Promise<Site> {
  const sent = askLocalHub<Site & { warnings?: unknown }>(env, request);
  const { warnings: _, ...site } = (await progress.during('publishing', sent)).body;
  return site;
}

/**
 * Changes a site as it is now. If someone else was faster, it may be another site by then, or be so
 * already: it is found again.
 * @param find @throws Refused
 * @param toChange the request that changes it; null if it stays as it is
 * @throws Refused
 */
export async function changeSite(
  find: (sites: readonly Site[]) => Site,
  toChange: (site: Site) => LocalRequest | null,
  cli: HubOf,
): Promise<Site> {
  const { body: site, etag } = await readSite(find(await listSites(cli)), cli);
  const request = toChange(site);
  if (request === null) return site;
  try {
    const changed = await publishSite({ ...request, headers: { 'If-Match': etag } }, cli);
    return request.method === 'DELETE' ? { ...site, ...behindOf(changed) } : changed;
  } catch (error) {
    const isStale = error instanceof Refused && error.refusal.code === 'PRECONDITION_FAILED';
    if (isStale) return changeSite(find, toChange, cli);
    throw error;
  }
}

const behindOf = ({ behind }: Site) => (behind ? { behind } : {});

/** `on` or `off`, or how it is, if that was asked. */
export const stateWord = ({ enabled, health }: Site): string =>
  visible(health?.label ?? (enabled ? 'on' : 'off'));

/** A line for each: id, domain, upstream, and state. */
export const siteRows = (sites: readonly Site[]): string =>
  sites
    .map((site) =>
      [site.id, visible(site.domain), visible(site.upstream), stateWord(site)].join('\t'),
    )
    .map((line) => `${line}\n`)
    .join('');
