/** How a process of signalbox is. */
import { type Collector, counter, gauge } from '../../../shared/observe/metrics.ts';

/** Process metrics, under the names that Prometheus' own libraries use. @param now to derive the start time from the process's age */
export function collectProcess(version: string, part: 'hub' | 'agent', now: () => Date): Collector {
  const startedAt = now().getTime() / 1000 - process.uptime();
  return () => {
    const { user, system } = process.cpuUsage();
    return [
      gauge('signalbox_build_info', 'Version and part of this program; always 1.', [
        { labels: { version, part, bun: Bun.version }, value: 1 },
      ]),
      gauge('process_start_time_seconds', 'Start time of the process, since 1970.', startedAt),
      counter(
        'process_cpu_seconds_total',
        'CPU time used, user and system.',
        (user + system) / 1e6,
      ),
      gauge('process_resident_memory_bytes', 'Resident memory.', process.memoryUsage.rss()),
    ];
  };
}
