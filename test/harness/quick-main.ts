/** The program at the pace of tests: another entry point, so that the real one needs no switch for it. */
import { PACES } from '../../src/program/serve/running.ts';
import { QUICK } from './pace.ts';

Object.assign(PACES, QUICK);
/** Even a tenth of ten minutes is long. */
const gone = process.env.CONTAINERS_GONE;
if (gone !== undefined) PACES.hub.own = { containers: { gone: Number(gone) } };
await import('../../src/main.ts');
