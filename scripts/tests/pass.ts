/** One run of `bun test` over some files, several at a time, and what its report says. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

export type Result = {
  passed: number;
  failed: number;
  skipped: number;
  failedTests: string[];
  /** The files of `failedTests`, as they were given; null if it is not known which those are. */
  failedFiles: string[] | null;
  /** Tests that failed, and passed when their file ran again. */
  passedAlone?: string[];
  times: { test: string; seconds: number }[];
};

export const NO_REPORT: Result = {
  passed: 0,
  failed: 0,
  skipped: 0,
  failedTests: [],
  failedFiles: null,
  times: [],
};

export type Pass = {
  exited: Promise<Result>;
  /** Ends it with all tests that run. */
  end(): void;
};

/** A line of the console for each test. */
const OUTCOME = /^\((pass|fail)\) /;

/**
 * @param options of `bun test`
 * @param files each has to have a test
 * @param env all variables that tests get
 * @param folder for the report
 * @param print what it prints, as it comes
 */
export function startPass(
  options: readonly string[],
  files: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
  print: (chunk: Uint8Array) => void = (chunk) => process.stderr.write(chunk),
): Pass {
  const report = join(folder, 'report.xml');
  rmSync(report, { force: true });
  const reporter = ['--reporter=junit', `--reporter-outfile=${report}`];
  const child = Bun.spawn([process.execPath, 'test', ...reporter, ...options, ...files], {
    env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    // In a group of its own, which can be ended as a whole.
    detached: true,
  });
  const seen = { pass: 0, fail: 0 };
  const end = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };

  async function pass(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of stream) {
      print(chunk);
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const outcome = OUTCOME.exec(line)?.[1] as keyof typeof seen | undefined;
        if (outcome) seen[outcome]++;
      }
    }
  }

  async function finish(): Promise<Result> {
    const drained = Promise.all([pass(child.stdout), pass(child.stderr)]);
    const exitCode = await child.exited;
    // Of a killed run, a program that a test started may still hold the pipe.
    await Promise.race([drained, Bun.sleep(2_000)]);
    if (existsSync(report)) {
      // Of a file, `-t` may leave no test.
      const expected = options.includes('-t') ? [] : files;
      return readReport(readFileSync(report, 'utf8'), exitCode, expected);
    }
    // It was ended, or crashed: what it has printed counts.
    const failedTests = [`bun test ended with ${exitCode} and wrote no report`];
    const failed = Math.max(seen.fail, 1);
    return { ...NO_REPORT, passed: seen.pass, failed, failedTests };
  }

  return { exited: finish(), end };
}

/** @param expected files: Bun leaves one out of its report if an error ends it before its first test */
function readReport(xml: string, exitCode: number, expected: readonly string[]): Result {
  const [root = ''] = /<testsuites [^>]*>/.exec(xml) ?? [];
  const [total, failures, skipped] = ['tests', 'failures', 'skipped'].map((name) =>
    Number(attribute(root, name)),
  ) as [number, number, number];
  const nameOf = (tag: string) =>
    [attribute(tag, 'file'), attribute(tag, 'classname'), attribute(tag, 'name')]
      .filter((one) => one !== '')
      .join(' > ');
  const failedTags = xml.match(/<testcase [^>]*>\s*<failure [^>]*>/g) ?? [];
  const failedTests = failedTags.map((tags) => {
    const [test = '', failure = ''] = tags.split(/(?=<failure )/);
    return `${nameOf(test)}: ${attribute(failure, 'message')}`;
  });
  const reported = new Set(
    (xml.match(/<testsuite [^>]*>/g) ?? []).map((tag) => resolve(attribute(tag, 'file'))),
  );
  const lost = expected.filter((file) => !reported.has(resolve(file)));
  failedTests.push(...lost.map((file) => `${file}: none of its tests ran`));
  const known = failures + lost.length;
  // With no failed test it crashed, could not start, or had nothing to do.
  const failed = exitCode === 0 ? known : Math.max(known, 1);
  if (failed > known) failedTests.push(`bun test ended with ${exitCode}`);
  const failedFiles = new Set([...failedTags.map((tags) => attribute(tags, 'file')), ...lost]);
  return {
    passed: total - failures - skipped,
    failed,
    skipped,
    failedTests,
    failedFiles: failed > known ? null : [...failedFiles],
    times: (xml.match(/<testcase [^>]*>/g) ?? []).map((tag) => ({
      test: nameOf(tag),
      seconds: Number(attribute(tag, 'time')),
    })),
  };
}

/** Of a tag of the report. */
function attribute(tag: string, name: string): string {
  const value = new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
  const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
  const line = value.replaceAll('&#10;', ' ').trim();
  return line.replace(/&(\w+);/g, (text, entity: string) => characters[entity] ?? text);
}
