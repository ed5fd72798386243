/** Email from the whole program, over every kind of connection. */
import { afterAll, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { sendEmails } from '../harness/emails.ts';
import { runProgram } from '../harness/program.ts';
import { CHASQUID } from '../harness/smtp.ts';
import { portSettings, temporaryFolder } from '../harness/stack.ts';

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.skipIf(CHASQUID === null)('a server that trusts nobody without a password gets it', () =>
  sendEmails((env) => runProgram([], { ...portSettings(), ...env }, folder)),
);
