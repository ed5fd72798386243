/** The agent's metrics: some are counted as things happen, others looked up for each scrape. */
import { collectProcess } from '../../../src/features/metrics/shared/process.ts';
import { createRegistry } from '../../../src/features/metrics/shared/registry.ts';
import { metricsRoute } from '../../../src/features/metrics/shared/route.ts';
import type { AgentHalf } from '../../core.ts';
import { collectLogs, collectProxy, collectUpstreams } from './collect.ts';
import { createCounts } from './counts.ts';

export const agent: AgentHalf = ({ version, proxy, logs, prober, now, log }) => {
  const registry = createRegistry(log);
  const own = [
    collectProcess(version, 'agent', now),
    () => collectProxy(proxy),
    () => collectLogs(logs),
    () => collectUpstreams(prober),
  ];
  return {
    observe: createCounts(registry),
    openRoutes: ({ isTrusted, collectors }) =>
      metricsRoute(registry, [...own, ...collectors], isTrusted),
  };
};
