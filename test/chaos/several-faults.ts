/** Compares what database, files and proxies have with what the hub answered. */
import type { Database } from 'bun:sqlite';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inDatabase } from '../harness/database.ts';
import type { Processes, Site } from '../harness/fleet-processes.ts';
import { countListeners } from '../harness/listeners.ts';
import { type Belief, hostOf, type Model, REFUSED, type State } from './several-model.ts';

type Row = { id: number; domain: string; config: string; enabled: number; agents: string };
type AgentRow = { name: string; preamble: string | null; behind_since: number | null };

export function createInspection({ hubFolder, sites, call }: Processes, model: Model) {
  let entries = 0;

  const read = <T>(run: (db: Database) => T) => inDatabase(join(hubFolder, 'data'), run);

  const all = (db: Database) => ({
    rows: db.query('SELECT id, domain, config, enabled, agents FROM vhosts').all() as Row[],
    agents: db.query('SELECT * FROM agents ORDER BY id').all() as AgentRow[],
    common: (db.query('SELECT config FROM preamble').get() as { config: string }).config,
    changelog: db.query('SELECT * FROM changelog').all(),
  });

  /** What is stored must be what was answered; where no answer came, it is known from now on. */
  function stored(): string[] {
    const { rows, agents, common, changelog } = read(all);
    const found = model.wrong();
    for (const [at, vhost] of model.vhosts.entries()) {
      const row = rows.find(({ domain }) => domain === `http://${hostOf(at)}`);
      const seen = row ? stateOf(row, agents) : null;
      expectKnown(hostOf(at), vhost, seen, show, found);
    }
    for (const [at, { name, preamble }] of agents.entries()) {
      const text = at === 0 ? common : (preamble ?? '');
      const who = /X-Who (\S+)/.exec(text)?.[1] ?? '';
      expectKnown(
        `preamble of ${name}`,
        model.preambles.get(name) as Belief<string>,
        who,
        String,
        found,
      );
    }
    const text = JSON.stringify([rows, agents, common, changelog]);
    if (text.includes(REFUSED)) found.push(`stored although refused: ${aroundRefused(text)}`);
    const { accepted, unknown } = model.recent;
    const added = changelog.length - entries;
    if (added < accepted || added > accepted + unknown) {
      found.push(`${added} changelog entries for ${accepted} changes, ${unknown} unknown`);
    }
    return found;
  }

  /** Counts the changelog's entries from now on. */
  function count(): void {
    entries = read(all).changelog.length;
    Object.assign(model.recent, { accepted: 0, unknown: 0 });
  }

  /** What a reachable proxy must serve for a host; null if nothing. */
  function expected(site: Site, state: State): string | null {
    const isOn = state?.enabled && (state.on.length === 0 || state.on.includes(site.name));
    return isOn ? `${state.marker} ${model.preambles.get(site.name)?.sure}` : null;
  }

  async function faultsOf(site: Site): Promise<string[]> {
    const found: string[] = [];
    let open = 0;
    for (const [at, { sure }] of model.vhosts.entries()) {
      const wanted = expected(site, sure);
      if (wanted !== null) open = 1;
      const answer = await site.served(hostOf(at));
      const seen = answer?.text ? `${answer.text} ${answer.headers.get('x-who')}` : null;
      if (seen !== wanted) found.push(`${site.name}: ${hostOf(at)} serves ${seen}, not ${wanted}`);
    }
    const file = readFileSync(site.proxyfile, 'utf8');
    const shown = await call('GET', `/proxyfile?agent=${site.name}`).catch(() => null);
    if (shown?.text !== file) found.push(`${site.name}: another Caddyfile on disk`);
    if (file.includes(REFUSED)) found.push(`${site.name}: on disk ${aroundRefused(file)}`);
    if (site.proxies() !== 1) found.push(`${site.name}: ${site.proxies()} Caddys`);
    const listeners = countListeners(site.httpPort);
    if (listeners !== open) found.push(`${site.name}: ${listeners} listeners, not ${open}`);
    return found;
  }

  /** Whether all proxies serve what is stored, and the hub says so. */
  async function live(): Promise<string[]> {
    const listed = await call<{ name: string; state: string }[]>('GET', '/agents').catch(
      () => null,
    );
    const behind = (listed?.body ?? [{ name: 'hub', state: 'away' }])
      .filter(({ state }) => state !== 'in-step')
      .map(({ name, state }) => `${name} is ${state}`);
    // All else costs much more to look at.
    if (behind.length > 0) return behind;
    const found = (await Promise.all(sites.map(faultsOf))).flat();
    for (const { name, behind_since } of read(all).agents) {
      if (behind_since !== null) found.push(`${name} is stored as behind`);
    }
    return found;
  }

  return { stored, live, count };
}

function expectKnown<T>(
  what: string,
  known: Belief<T>,
  seen: T,
  words: (value: T) => string,
  found: string[],
): void {
  const may = known.maybe === undefined ? [known.sure] : [known.sure, known.maybe];
  if (!may.some((value) => words(value) === words(seen))) {
    found.push(`${what}: stored ${words(seen)}, answered ${may.map(words).join(' or ')}`);
  }
  Object.assign(known, { sure: seen, maybe: undefined });
}

const stateOf = ({ id, config, enabled, agents }: Row, known: AgentRow[]): State => ({
  id,
  marker: /respond (\S+)/.exec(config)?.[1] ?? '',
  enabled: enabled === 1,
  on: (JSON.parse(agents) as number[]).map((agent) => known[agent - 1]?.name ?? ''),
});

const show = (state: State): string =>
  state === null
    ? 'nothing'
    : `${state.marker}${state.enabled ? '' : ' (off)'} on ${state.on.join(', ') || 'all'}`;

function aroundRefused(text: string): string {
  const at = text.indexOf(REFUSED);
  return JSON.stringify(text.slice(Math.max(0, at - 60), at + 60));
}
