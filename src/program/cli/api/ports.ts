/** `signalbox ports [--standard]`: where Caddy listens, and its way to ports 80 and 443. */
import { linesOf, type Serving } from '../../../hub/publish/serving.ts';
import { visible } from '../../../shared/visible.ts';
import type { Cli, Command } from '../command.ts';
import { askLocalHub, Refused, usingHub } from './local-hub.ts';

type Ports = { serving: Serving | null };

export const ports: Command = {
  name: 'ports',
  args: [],
  options: { standard: { summary: 'move Caddy to ports 80 and 443' } },
  summary: 'show where Caddy listens, or move it to ports 80 and 443',
  help: `Shows Caddy's ports and, if they are not 80 and 443, why and how to change them. With --standard,
sets http_port and https_port in the preamble and publishes it. You can undo this change. It is
refused while another program holds one of the ports.

The hub must be running with the same DATA_DIR. You need no password, but must be root or the user
who runs the hub.
`,
  run: ({ has }, cli) =>
    usingHub({ command: 'ports', wrong: null, run: () => show(has('standard'), cli) }, cli),
};

/** @throws Refused */
async function show(isMoved: boolean, { env, out, progress }: Cli): Promise<void> {
  const [label, request] = isMoved
    ? ['moving', { method: 'POST', path: '/ports/standard' } as const]
    : ['asking', { path: '/status' }];
  const { serving } = (await progress.during(label, askLocalHub<Ports>(env, request))).body;
  if (serving === null) {
    throw new Refused({
      message: 'Caddy is unreachable, or its sites are not managed by this hub',
    });
  }
  for (const line of linesOf(serving)) out(`${visible(line)}\n`);
}
