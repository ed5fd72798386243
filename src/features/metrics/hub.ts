/** The hub's metrics: some are counted as things happen, others looked up for each scrape. */
import { t } from 'elysia';
import type { ApiCore, HubHalf } from '../../hub/core.ts';
import { route } from '../../hub/http/route.ts';
import type { Collector } from '../../shared/observe/metrics.ts';
import { collectBroken, collectCertificates, collectStandings } from './agents.ts';
import { createCounts } from './counts.ts';
import { collectProcess } from './shared/process.ts';
import { createRegistry } from './shared/registry.ts';
import { metricsRoute } from './shared/route.ts';
import { collectIncidents, collectProblems, collectVhosts } from './stored.ts';

export const hub: HubHalf = ({ version, now, log }) => {
  const registry = createRegistry(log);
  const process = collectProcess(version, 'hub', now);
  return {
    observe: createCounts(registry),
    openRoutes(api) {
      const collectors = [process, ...collectorsOf(api), ...api.collectors];
      return metricsRoute(registry, collectors, api.isTrusted, DOCS);
    },
  };
};

const collectorsOf = ({ publisher, openIncidents, lastProblems }: ApiCore): Collector[] => [
  () => collectVhosts(publisher),
  () => collectStandings(publisher),
  () => collectBroken(publisher),
  () => collectCertificates(publisher),
  () => collectIncidents(openIncidents()),
  () => collectProblems(lastProblems()),
];

const DOCS = route({
  id: 'getMetrics',
  tag: 'Status',
  summary: 'Get metrics for Prometheus',
  description: 'At the root, not under `/api`. Cookies are not accepted.',
  access: 'local',
  returns: t.String(),
  mediaType: 'text/plain',
  example: 'signalbox_proxy_up 1\n',
});
