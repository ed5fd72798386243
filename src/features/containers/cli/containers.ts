/** `signalbox containers`: the containers beside each Caddy, or their labels as a file for `signalbox apply`. */

import type { FeatureCommand } from '../../../feature.ts';
import { answerOf, usingHub } from '../../../program/cli/api/local-hub.ts';
import { chosenHub, HUB_OPTION } from '../../../program/cli/api/remote-hub.ts';
import type { Cli, Given } from '../../../program/cli/command.ts';
import { clip } from '../../../shared/one-line.ts';
import { visible, visibleLines } from '../../../shared/visible.ts';
import type { SeenContainer } from '../sites.ts';

export const containers: FeatureCommand = {
  follows: 'agents',
  name: 'containers',
  args: [],
  options: {
    print: {
      summary: 'convert labels of caddy-docker-proxy and Traefik for apply',
    },
    agent: { takes: 'NAME', summary: 'only the containers beside this agent' },
    hub: HUB_OPTION,
  },
  summary: 'list containers and their sites, or convert their labels',
  help: `signalbox containers
signalbox containers --print > sites.yaml

Prints agent, name, state, site, and why it is none or not as its labels say, separated by tabs.
Agents list containers with DOCKER_SOCKET. --print changes nothing: it prints a file of sites, in
which comments say what was not converted. More: docs/containers.md

Without --hub, the hub must be running with the same DATA_DIR. You need no password, but must be
root or the user who runs the hub. With --hub, SIGNALBOX_TOKEN (or a file, SIGNALBOX_TOKEN_FILE)
has an API token of an editor.
`,
  run: (given, cli) =>
    usingHub({ command: 'containers', wrong: null, run: () => print(given, cli) }, cli),
};

/** @throws Refused */
async function print(given: Given, cli: Cli): Promise<void> {
  const ask = await chosenHub(given, cli);
  const read = async <T>(path: string): Promise<T> => {
    return answerOf<T>(await cli.progress.during('reading', ask({ path })));
  };
  const agent = given.value('agent');
  const query = agent === undefined ? '' : `?agent=${encodeURIComponent(agent)}`;
  const found = (await read<SeenContainer[]>(`/containers${query}`)).toSorted(byName);
  if (given.has('print')) {
    const { containersFile } = await import('./containers-file.ts');
    const text = containersFile(found);
    cli.out(cli.host.writesToTerminal ? visibleLines(text) : text);
    return;
  }
  const sites = await read<{ id: number; domain: string }[]>('/vhosts');
  const domains = new Map(sites.map(({ id, domain }) => [id, domain]));
  for (const { agent, name, state, site, reason } of found) {
    const domain = domains.get(site?.id ?? 0) ?? '-';
    const words = [agent, name, state, domain, ...(reason === null ? [] : [clip(reason)])];
    cli.out(`${words.map(visible).join('\t')}\n`);
  }
  if (found.length === 0) cli.err('No agent lists containers: see DOCKER_SOCKET.\n');
}

/** The engine lists the newest first. */
function byName(a: SeenContainer, b: SeenContainer): number {
  const [one, other] = [`${a.agent} ${a.name}`, `${b.agent} ${b.name}`];
  return one < other ? -1 : one > other ? 1 : 0;
}
