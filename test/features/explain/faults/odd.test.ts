// proof: faults
/** What looks like a fault and is none works, and what is not certain is not said for certain. */
import { describe, expect, test } from 'bun:test';
import { forFile } from '../../../harness/for-file.ts';
import { limit } from '../../../harness/speed.ts';
import { startHouse } from '../house.ts';
import { ODD } from './odd.ts';

const house = await forFile(startHouse());

describe('a site that looks like a fault', () => {
  for (const { name, missing, said, stage } of ODD) {
    const run = missing ? test.skip : test;
    run(
      `${name}: ${said === 'works' ? said : said.map((cause) => cause ?? 'not sure').join(' or ')}`,
      async () => {
        const { id, domain } = await house.add(await stage(house.place));
        const { verdict, cause, words } = await house.explain({ vhost: id });
        if (said === 'works') {
          expect([domain, verdict, cause, words]).toEqual([domain, 'works', null, words]);
          return;
        }
        expect([verdict, words]).toEqual([expect.stringMatching(/fails|unsure/), words]);
        expect([said, words]).toEqual([expect.arrayContaining([cause]), words]);
        // Without a cause, nothing fails for certain.
        if (cause === null) expect(verdict).toBe('unsure');
      },
      limit(60_000),
    );
  }
});
