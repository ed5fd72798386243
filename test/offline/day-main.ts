/** The program with an hour in half a minute, and a backup every ten seconds. */
import { PACES } from '../../src/program/serve/running.ts';
import { multiplied } from '../harness/pace.ts';

Object.assign(PACES, multiplied(PACES, 1 / 120));
PACES.hub.own = { backups: { look: 1_000, every: 10_000, retry: 10_000 } };
await import('../../src/main.ts');
