/** How many explanations a hub makes. */
import { expect, test } from 'bun:test';
import { createExplain } from '../../../src/features/explain/explain.ts';
import { EMPTY_SET } from '../../../src/hub/model/vhost.ts';
import { Failure } from '../../../src/shared/failure.ts';
import { storedVhost } from '../../harness/vhost.ts';

test('at most sixty in a minute, whatever comes of them', async () => {
  let time = 0;
  const explain = createExplain(
    {
      // No agent is there to be asked.
      publisher: undefined as never,
      now: () => new Date(0),
      elapsed: () => time,
    },
    () => undefined,
  );
  const subject = { set: EMPTY_SET, vhost: storedVhost(), steps: [], operation: null };
  const codeOf = async () => {
    try {
      await explain.of(subject, '/', () => Promise.reject(new Error('none')));
      return 'answered';
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return `${error.code} ${error.retryAfter ?? ''}`.trim();
    }
  };
  for (let count = 0; count < 60; count++) expect(await codeOf()).toBe('AGENT_UNREACHABLE');
  time = 20_000;
  expect(await codeOf()).toBe('RATE_LIMITED 40');
  time = 60_001;
  expect(await codeOf()).toBe('AGENT_UNREACHABLE');
});
