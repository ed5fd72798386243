/** `signalbox ports [--standard]`: where Caddy listens, and its way to ports 80 and 443. */
import { linesOf, type Serving } from '../../hub/publish/serving.ts';
import { visible } from '../visible.ts';
import { type Command, EXIT } from './command.ts';
import { askLocalHub, failRefused, failWithoutHub, type LocalAnswer } from './local-hub.ts';

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
  async run({ has }, cli) {
    const [label, request] = has('standard')
      ? ['moving', { method: 'POST', path: '/ports/standard' } as const]
      : ['asking', { path: '/status' }];
    let answer: LocalAnswer<Ports>;
    try {
      answer = await cli.progress.during(label, askLocalHub(cli.env, request));
    } catch {
      return failWithoutHub('ports', cli);
    }
    if ('refusal' in answer) return failRefused('ports', answer.refusal, cli);
    const { serving } = answer.body;
    if (serving === null) {
      cli.fail('signalbox ports: Caddy is unreachable, or its sites are not managed by this hub');
      return EXIT.failed;
    }
    for (const line of linesOf(serving)) cli.out(`${visible(line)}\n`);
    return EXIT.done;
  },
};
