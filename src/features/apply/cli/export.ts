/** `signalbox export`: sites and policies as a file for `signalbox apply`. */

import type { FeatureCommand } from '../../../feature.ts';
import { usingHub } from '../../../program/cli/api/local-hub.ts';
import { chosenHub, HUB_OPTION } from '../../../program/cli/api/remote-hub.ts';
import { visibleLines } from '../../../shared/visible.ts';

export const exportFile: FeatureCommand = {
  follows: 'agents',
  name: 'export',
  isSeldom: true,
  args: [],
  options: {
    source: { takes: 'NAME', summary: 'only what this source keeps' },
    hub: HUB_OPTION,
  },
  summary: 'print sites and policies as YAML, for signalbox apply',
  help: `Without --hub, the hub must be running with the same DATA_DIR. You need no password, but must be
root or the user who runs the hub.
`,
  run: (given, cli) => {
    const run = async () => {
      const ask = await chosenHub(given, cli);
      const source = given.value('source');
      const query = source === undefined ? '' : `&source=${encodeURIComponent(source)}`;
      const reading = ask({ path: `/export?format=yaml${query}` }).then((found) => found.text());
      const text = await cli.progress.during('reading', reading);
      cli.out(cli.host.writesToTerminal ? visibleLines(text) : text);
    };
    return usingHub({ command: 'export', wrong: null, run }, cli);
  },
};
