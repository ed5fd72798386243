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
  return (...names: string[]): LogAgent[] => {
    const some = names.map((name, i) => serveLogs(i + 1, name, join(newFolder(), 'access.log')));
    made.push(...some);
    return some;
  };
}
