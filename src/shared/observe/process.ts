/** What every program tells of itself, under the names Prometheus' own libraries use. */
import type { Collector } from './metrics.ts';

/** @param now for the time of the start, which the process knows as its age */
export function collectProcess(version: string, part: 'hub' | 'agent', now: () => Date): Collector {
  const startedAt = now().getTime() / 1000 - process.uptime();
  return () => {
    const { user, system } = process.cpuUsage();
    return [
      {
        name: 'signalbox_build_info',
        help: 'Which program this is; always 1.',
        type: 'gauge',
        samples: [{ labels: { version, part, bun: Bun.version }, value: 1 }],
      },
      {
        name: 'process_start_time_seconds',
        help: 'Start of the process, since 1970.',
        type: 'gauge',
        samples: [{ value: startedAt }],
      },
      {
        name: 'process_cpu_seconds_total',
        help: 'Processor time used, in user and system mode.',
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
