// proof: caddys
/** Who gets in, after Caddy was exchanged for another version while the hub runs. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import type { DoorView } from '../../../src/features/doors/schemas.ts';
import { NEXT, versionOf } from '../../harness/caddys.ts';
import { forFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';
import { QUICK } from '../../harness/pace.ts';
import { OWN, place } from '../../harness/programs.ts';
import { limit } from '../../harness/speed.ts';
import { temporaryFolder } from '../../harness/stack.ts';

setDefaultTimeout(limit(60_000));

const bin = join(temporaryFolder(), 'caddy');
place(bin, OWN);
const owner = await forFile(
  startOwner({ PROXY_BIN: bin, UPSTREAM_PROBE: 'false' }, undefined, QUICK),
);
const opensTo = async () => {
  const { body } = await owner.call<DoorView[]>('GET', '/doors');
  return body.map((one) => one.opensTo);
};
const knows = (program: string) => Bun.semver.satisfies(versionOf(program), '>=2.7.0');

test.if(NEXT !== null && !knows(OWN) && knows(NEXT))(
  'it is asked anew, as only a newer one can be told addresses',
  async () => {
    await owner.create('lan', '@out not remote_ip 10.0.0.0/8\nrespond @out 403\nrespond lan');
    expect(await opensTo()).toEqual(['unsure']);
    for (const [program, found] of [
      [NEXT ?? '', 'networks'],
      [OWN, 'unsure'],
    ] as const) {
      place(bin, program);
      expect((await owner.call('POST', '/proxy/restart', {})).status).toBe(200);
      expect(await opensTo()).toEqual([found]);
    }
  },
);
