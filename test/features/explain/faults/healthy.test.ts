// proof: faults
/** What works is never called failing: sites of every recipe and policy, with upstreams that answer in all usual ways. */
import { expect, test } from 'bun:test';
import { forFile } from '../../../harness/for-file.ts';
import { some } from '../../../harness/full.ts';
import { seededRandom } from '../../../harness/random.ts';
import { limit } from '../../../harness/speed.ts';
import { startHouse } from '../house.ts';
import { healthySites } from './healthy-sites.ts';

const SITES = some(40, 500, 'HEALTHY_SITES');
const SEED = some(7, 7, 'HEALTHY_SEED');

const house = await forFile(startHouse());
const make = await healthySites(house, seededRandom(SEED));

test(
  `${SITES} sites that work are said to work, and nobody is warned (seed ${SEED})`,
  async () => {
    const wrong: object[] = [];
    for (let number = 0; number < SITES; number++) {
      const { name, site } = await make(number);
      const { id, warnings } = await house.add(site);
      const { verdict, cause, step, words, cure } = await house.explain({ vhost: id });
      const said = verdict === 'works' && cause === null && step === null && cure === null;
      if (!said || warnings.length > 0) wrong.push({ name, verdict, cause, words, warnings });
    }
    expect(wrong).toEqual([]);
  },
  limit(SITES * 4_000),
);
