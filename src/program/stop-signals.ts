/** Which signals stop the program. */

/**
 * Those of a service manager, of Ctrl-C, and of a terminal that is closed, unless the program was
 * started to go on then (`nohup`).
 * @param readFile @throws if it cannot be read
 */
export function stopSignals(readFile: (path: string) => string): NodeJS.Signals[] {
  return ignoresHangUp(readFile) ? ['SIGTERM', 'SIGINT'] : ['SIGTERM', 'SIGINT', 'SIGHUP'];
}

/** Whether whoever started this process had it ignore SIGHUP, as proc(5) shows: the lowest bit. */
function ignoresHangUp(readFile: (path: string) => string): boolean {
  try {
    const [, mask = '0'] = /^SigIgn:\s+([0-9a-f]+)$/m.exec(readFile('/proc/self/status')) ?? [];
    return /[13579bdf]$/.test(mask);
  } catch {
    return false;
  }
}
