/** Lets the JavaScript engine compile only what runs often: compiled code was most of the memory of a hub or agent. */
import { readFileSync } from 'node:fs';

/**
 * JavaScriptCore's thresholds, a hundred times its own (500 and 1000). A function of a request that comes every few
 * seconds is then interpreted, and a loop over a million lines of a log still compiled, within a second. The
 * engine reads them at the start of a process alone, and another version of Bun may refuse them.
 */
const THRESHOLDS: Readonly<Record<string, string>> = {
  BUN_JSC_thresholdForJITAfterWarmUp: '50000',
  BUN_JSC_thresholdForJITSoon: '10000',
  BUN_JSC_thresholdForOptimizeAfterWarmUp: '100000',
  BUN_JSC_thresholdForOptimizeAfterLongWarmUp: '100000',
  BUN_JSC_thresholdForOptimizeSoon: '100000',
};

/**
 * Replaces this program by itself, with the thresholds and the same arguments and process id. Returns if it has
 * them, if the environment has options of the engine already, and if the system refuses.
 */
export function compileLess(env: NodeJS.ProcessEnv): void {
  const names = Object.keys(THRESHOLDS);
  if (names.every((name) => env[name] === THRESHOLDS[name])) {
    // Not for the programs that it starts.
    for (const name of names) delete env[name];
    return;
  }
  if (Object.keys(env).some((name) => name.startsWith('BUN_JSC_'))) return;
  try {
    const args = readFileSync('/proc/self/cmdline', 'utf8').split('\0').slice(0, -1);
    process.execve?.(process.execPath, args, { ...env, ...THRESHOLDS });
  } catch {
    // It serves as well, with more memory.
  }
}
