/** `signalbox demo`: a hub with made-up sites, which everybody may look at and nobody can change. */
import type { FeatureCommand } from '../../../feature.ts';
import { EXIT } from '../../../program/cli/command.ts';
import { messageOf, runAll } from '../../../shared/async.ts';

export const demo: FeatureCommand = {
  follows: '',
  name: 'demo',
  isSeldom: true,
  args: [],
  options: {
    port: { takes: 'PORT', summary: 'port it listens on, 3000 by default; 0: any free one' },
    host: { takes: 'ADDRESS', summary: 'address it listens on, 127.0.0.1 by default' },
  },
  summary: 'show a made-up home, in which nothing can be changed',
  help: `Starts a hub, an agent and a Caddy in a temporary folder, with 24 made-up sites, a week of visitors,
a changelog and problems. Everybody who opens it is a viewer without a password, and changes are
refused. Caddy and the services behind the sites can be reached from this machine alone; so can the
dashboard, unless --host says otherwise. Ctrl-C ends all of it and removes the folder.

Of the settings, only PROXY_BIN counts.
`,
  async run(given, cli) {
    // From here on, a signal waits for the start to complete: a Caddy that is being started must be stopped too.
    const stopped = cli.stopSignal();
    const ends: (() => unknown)[] = [];
    const { value } = given;
    const { startDemo } = await import('./start.ts');
    try {
      const place = { host: value('host') ?? '127.0.0.1', port: value('port') ?? '3000' };
      const url = await startDemo(place, cli, (end) => void ends.unshift(end));
      cli.out(`${cli.paint.green('demo')} listening on ${cli.paint.bold(url)}\n`);
      await stopped;
      return EXIT.done;
    } catch (error) {
      cli.fail(`signalbox cannot start the demo: ${asOptions(messageOf(error))}`);
      return EXIT.failed;
    } finally {
      await runAll(...ends);
    }
  },
};

/** What is wrong with settings, which the demo makes of its options. */
const asOptions = (reason: string): string =>
  reason
    .replace(/^signalbox cannot start:\s+/, '')
    .replaceAll('HUB_PORT', '--port')
    .replaceAll('HUB_HOST', '--host');
