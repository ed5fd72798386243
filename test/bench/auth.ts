/**
 * What a flood of sign-ins does to other requests, and whether the time of an answer reveals that an
 * account exists. The list of vhosts is requested again and again while 200 sign-ins from 200
 * loopback addresses to 200 accounts are in flight.
 */
import { request } from 'node:http';
import { createPasswords } from '../../src/hub/auth/accounts/password.ts';
import { users } from '../../src/hub/db/accounts-schema.ts';
import { openDatabase } from '../../src/hub/db/open.ts';
import { runProgram } from '../harness/program.ts';
import { ask, portSettings, signUp, temporaryFolder } from '../harness/stack.ts';
import { median, ms, printTable, timed } from './table.ts';

const ACCOUNTS = 200;
const ROUNDS = 60;
const PASSWORD = 'a long passphrase';

export async function run(): Promise<void> {
  const folder = temporaryFolder();
  const dataDir = `${folder}/data`;
  // In another process, so that the bench does not measure itself.
  await fill(dataDir);
  const env = { DATA_DIR: dataDir, SIGN_UP: 'open', ...portSettings() };
  const program = runProgram([], env, folder);
  const hub = `${await program.address('hub')}/api`;
  const { headers } = await signUp({ hub });
  const list = () => timed(() => ask(`${hub}/vhosts`, { headers }));

  const quiet = await repeat(ROUNDS, list);
  let left = ACCOUNTS;
  const statuses = new Map<number, number>();
  const from = performance.now();
  const flood = Array.from({ length: ACCOUNTS }, (_, number) =>
    signInFrom(`127.0.1.${number + 1}`, `${hub}/auth/sign-in/email`, `a${number}@example.org`).then(
      (status) => {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        left--;
      },
    ),
  );
  const busy: number[] = [];
  while (left > 0) busy.push(await list());
  await Promise.all(flood);
  const took = performance.now() - from;

  console.log(`GET /api/vhosts during ${ACCOUNTS} sign-ins from ${ACCOUNTS} addresses, ms`);
  const row = (name: string, times: number[]) => [
    name,
    String(times.length),
    ms(median(times)),
    ms(Math.max(...times)),
  ];
  printTable(
    ['', 'requests', 'median', 'slowest'],
    [row('alone', quiet), row('during the flood', busy)],
  );
  const answers = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
  console.log(`the flood took ${ms(took)} ms; answers: ${answers}\n`);

  // Ten failures per account and thirty per address are allowed: each has its own.
  const url = `${hub}/auth/sign-in/email`;
  const known: number[] = [];
  const unknown: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const wrong = (email: string) =>
      timed(() => signInFrom(`127.0.2.${round + 1}`, url, email, 'a wrong passphrase'));
    known.push(await wrong(`a${round}@example.org`));
    unknown.push(await wrong(`nobody${round}@example.org`));
  }
  console.log('A refused sign-in, ms');
  printTable(
    ['', 'requests', 'median', 'slowest'],
    [row('known e-mail', known), row('unknown e-mail', unknown)],
  );
  program.child.kill();
  await program.exited();
}

async function repeat(times: number, call: () => Promise<number>): Promise<number[]> {
  const all: number[] = [];
  for (let time = 0; time < times; time++) all.push(await call());
  return all;
}

/** Makes the accounts, all with the same hash: only verifying it is measured. */
async function fill(dataDir: string): Promise<void> {
  const passwordHash = await createPasswords().hash(PASSWORD);
  const { db, close } = openDatabase(dataDir);
  const now = new Date();
  for (let number = 0; number < ACCOUNTS; number++) {
    db.insert(users)
      .values({
        id: `user-${number}`,
        name: `A${number}`,
        email: `a${number}@example.org`,
        passwordHash,
        createdAt: now,
        updatedAt: now,
      })
      .run();
  }
  close();
}

/** With `fetch`, the address it comes from could not be chosen. */
function signInFrom(
  localAddress: string,
  url: string,
  email: string,
  password = PASSWORD,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(url, { method: 'POST', localAddress, agent: false }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
    });
    call.on('error', reject);
    call.end(JSON.stringify({ email, password }));
  });
}
