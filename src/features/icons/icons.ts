/** Asks sites for their icons, and keeps what they answer: also that they have none. */
import { eq, isNotNull } from 'drizzle-orm';
import type { HubCore } from '../../hub/core.ts';
import { setFor } from '../../hub/model/applied.ts';
import { endpointsUnder } from '../../hub/model/endpoints.ts';
import type { Vhost } from '../../hub/model/vhost.ts';
import { every, type Repeated } from '../../shared/every.ts';
import { reasonOf } from '../../shared/log.ts';
import { imageType } from './shared/image.ts';
import { icons } from './tables.ts';
import { ICON, type IconAnswer } from './wire.ts';

export type Icons = Repeated & {
  /** The sites with an icon, and which one they have now. */
  list(): { id: number; version: string }[];
  /** Null: there is none. */
  of(id: number): { type: string; image: Buffer; version: string } | null;
};

/** Milliseconds. `look`: between two looks at who was not asked yet; `again`: after no answer; `kept`: after one. */
type IconsPace = Readonly<{ look: number; again: number; kept: number }>;

/** All but the image. */
const KNOWN = {
  id: icons.vhostId,
  askedAt: icons.askedAt,
  upstream: icons.upstream,
  path: icons.path,
};
type Known = { askedAt: Date; upstream: string; path: string | null };

export function createIcons(
  { db, publisher, now, elapsed, log }: HubCore,
  { look, again, kept }: IconsPace,
): Icons {
  /** When those that did not answer are asked again, by their ids. */
  const later = new Map<number, number>();
  let isEnded = false;

  function isDue({ id, upstream, enabled }: Vhost, known: Known | undefined): boolean {
    if (!enabled || (later.get(id) ?? 0) > elapsed()) return false;
    if (!known || known.path !== null || known.upstream !== upstream) return true;
    return now().getTime() - known.askedAt.getTime() > kept;
  }

  /** Who can ask the site, and what it calls it; undefined while nobody can. */
  function askerOf(site: Vhost) {
    const set = publisher.current();
    for (const { id, client } of publisher.agents.all()) {
      const { preamble, vhosts } = setFor(set, id);
      const [endpoint] = vhosts.includes(site) ? endpointsUnder(preamble)(site) : [];
      if (endpoint && !client.isSilent() && !publisher.isOnTrial(id)) return { client, endpoint };
    }
    return undefined;
  }

  async function ask(site: Vhost, path: string | null): Promise<void> {
    const asker = askerOf(site);
    if (!asker) return;
    const { name, port } = asker.endpoint;
    const answer = await asker.client.send(ICON, { name, port, path }).catch(() => null);
    if (isEnded || !publisher.current().vhosts.includes(site)) return;
    if (answer?.answered) keep(site, answer);
    else later.set(site.id, elapsed() + again);
  }

  function keep({ id, upstream }: Vhost, { icon, path }: IconAnswer): void {
    const bytes = Buffer.from(icon ?? '', 'base64');
    const image = imageType(bytes) === null ? null : bytes;
    const version = image && Bun.hash(image).toString(36);
    const row = { askedAt: now(), upstream, path, version, image };
    db.insert(icons)
      .values({ vhostId: id, ...row })
      .onConflictDoUpdate({ target: icons.vhostId, set: row })
      .run();
  }

  /** One site after the other. Never fails. */
  async function lookAtAll(): Promise<void> {
    try {
      const known = new Map(
        db
          .select(KNOWN)
          .from(icons)
          .all()
          .map((one) => [one.id, one]),
      );
      for (const site of publisher.current().vhosts) {
        if (isEnded) return;
        const before = known.get(site.id);
        if (isDue(site, before)) await ask(site, pathFor(site, before));
      }
    } catch (error) {
      log('icons not kept', { reason: reasonOf(error) }, 'warn');
    }
  }

  const looks = every({ pause: look, first: look }, lookAtAll);
  return {
    list: () =>
      db
        .select({ id: icons.vhostId, version: icons.version })
        .from(icons)
        .where(isNotNull(icons.version))
        .all()
        .map(({ id, version }) => ({ id, version: String(version) })),
    of(id) {
      const row = db.select().from(icons).where(eq(icons.vhostId, id)).get();
      const type = row?.image ? imageType(row.image) : null;
      return row?.image && type ? { type, image: row.image, version: String(row.version) } : null;
    },
    begin: looks.begin,
    end() {
      isEnded = true;
      return looks.end();
    },
  };
}

/** Where its page said that the icon is, if it was asked as it is now. */
const pathFor = ({ upstream }: Vhost, known: Known | undefined): string | null =>
  known?.upstream === upstream ? known.path : null;
