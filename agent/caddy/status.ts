/** What the agent says of its proxy: what is live, what is on disk, and for whom. */
import type { ProxyStatus } from '../../src/shared/wire/proxy.ts';
import type { Warnings } from '../warnings.ts';
import type { Admin } from './admin.ts';
import { isForeign } from './config/foreign.ts';
import { parseStampId } from './config/patch.ts';
import { describeClosed } from './ports/closed.ts';
import type { KeptFile } from './reload/kept-file.ts';
import { digestOf, type Proxyfile } from './reload/proxyfile.ts';
import type { Reload } from './reload/reload.ts';
import type { Watch } from './watch.ts';

type StatusDeps = {
  admin: Pick<Admin, 'config'>;
  watch: Pick<Watch, 'liveId'>;
  proxyfile: Proxyfile;
  kept: Pick<KeptFile, 'hasAll'>;
  reload: Pick<Reload, 'closed' | 'restartNeeded'>;
  /** As `Running.version`. */
  version: () => Promise<string | null>;
  /** What tells the program that runs from any other; null if it cannot be asked now. */
  program: () => Promise<string | null>;
  warnings: Pick<Warnings, 'get' | 'list'>;
  /** The names in the proxy's environment; null if another program runs it. */
  environment: readonly string[] | null;
};

export type ReadStatus = (hub?: string, term?: number) => Promise<ProxyStatus>;

/** See `ProxyControl`. */
export function createStatus({
  admin,
  watch,
  proxyfile,
  kept,
  reload,
  version,
  program,
  warnings,
  environment,
}: StatusDeps): ReadStatus {
  return async (hub, term = 1) => {
    const file = proxyfile.read();
    const live = await watch.liveId().then(
      (id) => ({ running: true, stamp: parseStampId(id) }),
      () => ({ running: false, stamp: null }),
    );
    const digest = live.stamp?.digest ?? null;
    const fileDigest = file === null ? null : digestOf(file);
    const unknownFile = proxyfile.isForeign();
    const owner = proxyfile.owner(live.stamp?.hub);
    const asks = hub ?? owner;
    // Without our stamp but from our file, the proxy was only restarted.
    const isUnknown = digest === null && (file === null || unknownFile);
    const isOthers = hub !== undefined && (owner !== hub || term < proxyfile.term(hub));
    const closed = digest === null ? [] : reload.closed();
    const checkedFor = await program();
    const isLacking = live.stamp?.lacking === true || (file !== null && !kept.hasAll(file));
    const fault = live.running ? null : warnings.get('start');
    return {
      liveDigest: digest,
      fileDigest,
      foreign:
        live.running && (isUnknown || isOthers)
          ? await admin.config().then(isForeign, () => false)
          : false,
      owner,
      ...(asks === null ? {} : { term: proxyfile.term(asks) }),
      drift: digest !== null && unknownFile,
      checked:
        fileDigest === null ||
        unknownFile ||
        (!isLacking && (checkedFor === null || proxyfile.isCheckedFor(fileDigest, checkedFor))),
      proxy: { running: live.running, version: await version(), managed: environment !== null },
      ...(environment === null || hub === undefined ? {} : { environment: [...environment] }),
      ...(fault === null ? {} : { fault }),
      restartNeeded: reload.restartNeeded(digest),
      warnings: warnings.list(),
      ...(closed.length > 0 ? { closed: closed.map(describeClosed) } : {}),
      // Last: the hub compares its clock with it as it arrives.
      ...(hub === undefined ? {} : { now: new Date().toISOString() }),
    };
  };
}
