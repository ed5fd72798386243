/** The progress line on a terminal. */
import { describe, expect, test } from 'bun:test';
import { createProgress } from '../../../src/program/cli/progress.ts';

/** A terminal as a person sees it: after `\r`, text overwrites the line. */
function world(terminal: { isTTY?: boolean; columns?: number } = { isTTY: true, columns: 80 }) {
  let at = 0;
  let ticking: (() => void) | undefined;
  const writes: string[] = [];
  const progress = createProgress(
    { ...terminal, write: (text) => writes.push(text) },
    () => at,
    (_milliseconds, tick) => {
      ticking = tick;
      return () => {
        ticking = undefined;
      };
    },
  );
  return {
    progress,
    writes,
    later: (milliseconds: number) => {
      at += milliseconds;
      ticking?.();
    },
    isTicking: () => ticking !== undefined,
    /** The lines on the screen, without trailing blanks. */
    screen(): string[] {
      const lines = [''];
      for (const text of writes.join('').split(/(\r|\n)/)) {
        if (text === '\n') lines.push('');
        else if (text === '\r') lines.push(`\r${lines.pop()}`);
        else {
          const line = lines.pop() ?? '';
          const old = line.startsWith('\r') ? line.slice(1) : '';
          lines.push(line.startsWith('\r') ? text + old.slice(text.length) : line + text);
        }
      }
      return lines.map((line) => line.replaceAll('\r', '').trimEnd());
    },
  };
}

describe('progress', () => {
  test.each([{}, { isTTY: false }, { isTTY: false, columns: 80 }])(
    'writes nothing to %j',
    async (terminal) => {
      const { progress, writes, later } = world(terminal);
      progress.bar('indexing', 0, 100);
      later(1000);
      progress.bar('indexing', 50, 100);
      progress.end();
      let done = () => {};
      const work = progress.during('importing', new Promise<void>((resolve) => (done = resolve)));
      later(1000);
      done();
      await work;
      expect(writes).toEqual([]);
      progress.print('a line\n');
      expect(writes).toEqual(['a line\n']);
    },
  );

  test('shows nothing for work that is done at once', async () => {
    const { progress, writes, later, isTicking } = world();
    progress.bar('indexing', 0, 100);
    later(150);
    progress.bar('indexing', 100, 100);
    progress.end();
    expect(await progress.during('importing', Promise.resolve(7))).toBe(7);
    expect([writes, isTicking()]).toEqual([[], false]);
  });

  test('shows how much is done, at most ten times a second, and leaves no trace', () => {
    const { progress, writes, later, screen } = world();
    progress.bar('indexing', 0, 3_000_000_000);
    later(250);
    progress.bar('indexing', 1_200_000_000, 3_000_000_000);
    expect(screen()).toEqual([
      `indexing [${'#'.repeat(16)}${'-'.repeat(24)}]  40%  1.2 GB of 3.0 GB`,
    ]);
    later(50);
    progress.bar('indexing', 1_300_000_000, 3_000_000_000);
    expect(writes.length).toBe(1);
    later(50);
    progress.bar('indexing', 4_000_000_000, 3_000_000_000);
    expect(screen()[0]).toContain('] 100%  3.0 GB of 3.0 GB');
    progress.end();
    expect(screen()).toEqual(['']);
    expect(writes.join('')).not.toContain('\x1b');
  });

  test.each([
    [60, 'indexing [-----------------------------]   0%  5 kB of 1 MB'],
    [30, 'indexing  0%'],
    [8, 'indexin'],
    [0, 'indexing [----------------------------------------]   0%  5 kB of 1 MB'],
  ])('never writes beyond %d columns', (columns, line) => {
    const { progress, later, screen } = world({ isTTY: true, columns });
    progress.bar('indexing', 0, 1_000_000);
    later(300);
    progress.bar('indexing', 5_000, 1_000_000);
    expect(screen()).toEqual([line]);
    expect(line.length).toBeLessThan(columns || 80);
  });

  test('spins while it waits, makes room for lines, and stops even if the work fails', async () => {
    const { progress, later, screen, isTicking } = world();
    let fail = (_error: Error) => {};
    const work = progress.during('importing', new Promise((_resolve, reject) => (fail = reject)));
    later(300);
    expect(screen()).toEqual(['importing \\ 0 s']);
    progress.print('line 3 skipped\n');
    expect(screen()).toEqual(['line 3 skipped', '']);
    later(2000);
    expect(screen()).toEqual(['line 3 skipped', 'importing \\ 2 s']);
    fail(new Error('refused'));
    expect(await work.catch((error) => error.message)).toBe('refused');
    expect(screen()).toEqual(['line 3 skipped', '']);
    expect(isTicking()).toBe(false);
  });
});
