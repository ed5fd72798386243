/** Tells the parts of features what the agent was asked for. */
import type { AgentObserver, AgentPart } from './core.ts';

type Observer = Pick<AgentObserver, 'request'> & {
  /** Tells how long a reload took. @throws what it throws */
  timed<T>(reload: Promise<T>): Promise<T>;
};

export function createObserver(parts: readonly Pick<AgentPart, 'observe'>[]): Observer {
  const all = parts.flatMap(({ observe }) => observe ?? []);

  function tell(from: number, more: { error?: unknown }): void {
    const milliseconds = performance.now() - from;
    for (const { reload } of all) reload({ milliseconds, ...more });
  }

  return {
    request(seen) {
      for (const { request } of all) request(seen);
    },

    async timed(reload) {
      const from = performance.now();
      try {
        const live = await reload;
        tell(from, {});
        return live;
      } catch (error) {
        tell(from, { error });
        throw error;
      }
    },
  };
}
