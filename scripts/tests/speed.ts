/**
 * How slow this machine is right now, beside the one on which the limits of tests were set. Run as a
 * program, it counts how often it gets through a piece of work within a second.
 */

/** Rounds of one core within a second, on the quiet machine with 2 cores on which the limits were set. */
const REFERENCE = 280_000;
const MEASURED_MS = 1_000;

const SAMPLE = JSON.stringify(
  Array.from({ length: 50 }, (_, n) => ({ domain: `site-${n}.example`, status: 200 + n })),
);

function countRounds(): number {
  const end = performance.now() + MEASURED_MS;
  let rounds = 0;
  while (performance.now() < end) {
    JSON.stringify(JSON.parse(SAMPLE));
    rounds++;
  }
  return rounds;
}

/**
 * Measures all cores at once, as the tests will use them.
 * @returns 1 on the reference or anything faster; 2 where a core gets through half as much in a second
 */
export async function measureSlowness(cores: number): Promise<number> {
  const counts = await Promise.all(
    Array.from({ length: cores }, async () => {
      const child = Bun.spawn([process.execPath, import.meta.path], { stdout: 'pipe' });
      return Number(await child.stdout.text());
    }),
  );
  return Math.max(1, REFERENCE / Math.max(1, Math.min(...counts)));
}

if (import.meta.main) console.log(countRounds());
