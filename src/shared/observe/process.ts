/** Process metrics, under the names that Prometheus' own libraries use. */
import type { Collector } from './metrics.ts';

/** @param now to derive the start time from the process's age */
export function collectProcess(version: string, part: 'hub' | 'agent', now: () => Date): Collector {
  const startedAt = now().getTime() / 1000 - process.uptime();
  return () => {
    const { user, system } = process.cpuUsage();
    return [
      {
        name: 'signalbox_build_info',
        help: 'Version and part of this program; always 1.',
        type: 'gauge',
        samples: [{ labels: { version, part, bun: Bun.version }, value: 1 }],
      },
      {
        name: 'process_start_time_seconds',
        help: 'Start time of the process, since 1970.',
        type: 'gauge',
        samples: [{ value: startedAt }],
      },
      {
        name: 'process_cpu_seconds_total',
        help: 'CPU time used, user and system.',
        type: 'counter',
        samples: [{ value: (user + system) / 1e6 }],
      },
      {
        name: 'process_resident_memory_bytes',
        help: 'Resident memory.',
        type: 'gauge',
        samples: [{ value: process.memoryUsage.rss() }],
      },
    ];
  };
}
