/** The sites of a document, in a plan. Pure. */

import { addressKey } from '../../hub/caddyfile/address.ts';
import { exceptNamed } from '../../hub/model/applied.ts';
import { type Change, vhostStep } from '../../hub/model/changes.ts';
import { assertSpelled } from '../../hub/model/operation.ts';
import { keptBy } from '../../hub/model/source.ts';
import { assertFree, changedFields, type Vhost } from '../../hub/model/vhost.ts';
import { newVhost } from '../../hub/model/vhost-changes.ts';
import { createPauses } from '../../shared/async.ts';
import { Failure } from '../../shared/failure.ts';
import { type Document, locating, type Note, opOf } from './document.ts';
import { fieldOf, PLAIN_CONFIG } from './schemas.ts';

/** Creates, changes, takes over and deletes sites all at once, so that they may swap their addresses. */
export const sitesChange =
  (document: Document, note: Note): Change<unknown> =>
  async (set, time) => {
    const pause = createPauses();
    const present = new Map(set.vhosts.map((vhost) => [addressKey(vhost.domain), vhost]));
    const named = new Map<string, string>();
    /** By what they were; what is new is in `added`. */
    const after = new Map<Vhost, Vhost>();
    const added: Vhost[] = [];
    const last = set.vhosts.at(-1)?.position ?? 0;
    for (const [name, site] of document.sites) {
      await pause();
      await locating(fieldOf('sites', name), () => {
        const wanted = newVhost({ config: PLAIN_CONFIG, ...site, domain: name }, set, time);
        const key = addressKey(wanted.domain);
        const before = present.get(key);
        const other = named.get(key);
        if (other !== undefined) throw twice(other);
        named.set(key, name);
        if (before) {
          const except = exceptNamed(site.except ?? [], set, before.except);
          after.set(before, settled(before, { ...wanted, except }, document, note));
          return;
        }
        assertSpelled(wanted.config);
        note({ op: 'create', kind: 'site', name: wanted.domain, fields: [] });
        const place = { id: set.nextId + added.length, position: last + 1 + added.length };
        added.push(keptBy({ ...wanted, ...place }, document.source));
      });
    }
    const isGone = (vhost: Vhost) =>
      document.prune &&
      vhost.source === document.source &&
      !after.has(vhost) &&
      !document.keeps?.has(vhost.id);
    const gone = set.vhosts.filter(isGone);
    for (const { domain } of gone) note({ op: 'delete', kind: 'site', name: domain, fields: [] });
    const changed = [...after].filter(([before, now]) => before !== now);
    if (gone.length + changed.length + added.length === 0) return { done: null };
    const stay = set.vhosts.flatMap((vhost) => (isGone(vhost) ? [] : (after.get(vhost) ?? vhost)));
    const next = { ...set, nextId: set.nextId + added.length, vhosts: [...stay, ...added] };
    for (const vhost of [...changed.map(([, now]) => now), ...added]) {
      await pause();
      const name = named.get(addressKey(vhost.domain)) ?? vhost.domain;
      await locating(fieldOf('sites', name), () => assertFree(vhost, next));
    }
    const steps = [
      ...gone.map((vhost) => vhostStep(vhost, null)),
      ...changed.map(([before, now]) => vhostStep(before, now)),
      ...added.map((vhost) => vhostStep(null, vhost)),
    ];
    return { next, steps, result: null };
  };

/** A site that is there as the document wants it; itself if nothing changes. @throws as `opOf` */
function settled(before: Vhost, wanted: Vhost, document: Document, note: Note): Vhost {
  const fields = changedFields(before, wanted).filter((field) => field !== 'source');
  const op = opOf(before, fields, document);
  if (op === null) return before;
  if (fields.includes('config')) assertSpelled(wanted.config);
  note({ op, kind: 'site', name: wanted.domain, fields });
  const { id, position, createdAt } = before;
  const { updatedAt } = wanted;
  const now = fields.length > 0 ? { ...wanted, id, position, createdAt } : { ...before, updatedAt };
  return keptBy(now, document.source);
}

const twice = (other: string) =>
  new Failure('INVALID_REQUEST', `The document has this site twice: it is ${other}, too.`);
