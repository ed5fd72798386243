/** Agents with logs, for the tests of a file. */
import { afterAll } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolders } from '../../agent/logs/temp.ts';
import { type LogAgent, serveLogs } from '../../harness/log-agents.ts';

/** Makes agents that are stopped after the tests of the file; each has a folder of its own. */
export function temporaryAgents() {
  const newFolder = temporaryFolders();
  const made: LogAgent[] = [];
  afterAll(async () => {
    for (const agent of made) await agent.stop();
  });
  return (...names: (string | { name: string; readLimit: number })[]): LogAgent[] => {
    const some = names.map((one, i) => {
      const { name, ...limits } = typeof one === 'string' ? { name: one } : one;
      return serveLogs(i + 1, name, join(newFolder(), 'access.log'), limits);
    });
    made.push(...some);
    return some;
  };
}
