/** The names of all settings the program looks at, as it is seen to look. */
import { type Command, readSettings } from '../../src/program/config.ts';

export function knownSettings(): Set<string> {
  const names = new Set<string>();
  const env = new Proxy<Record<string, string>>(
    { AGENT_TOKEN: 't'.repeat(32) },
    {
      get(target, name) {
        names.add(String(name));
        return target[String(name)];
      },
    },
  );
  const machine = { readFile: () => '', which: (program: string) => `/usr/bin/${program}` };
  for (const command of ['all', 'hub', 'agent'] satisfies Command[]) {
    for (const token of ['t'.repeat(32), '']) {
      env.AGENT_TOKEN = token;
      try {
        readSettings(command, env, machine);
      } catch {
        // Without a token it looks for the token's file, and finds nothing in it.
      }
    }
  }
  names.delete('PATH');
  return names;
}
