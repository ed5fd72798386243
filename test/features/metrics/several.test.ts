/** Metrics of several agents, one of which does not answer in the end. */
import { expect, test } from 'bun:test';
import { readExposition, sampleOf } from '../../harness/exposition.ts';
import { startFleet } from '../../harness/fleet.ts';
import { forFile } from '../../harness/for-file.ts';
import { ask, until } from '../../harness/stack.ts';

const fleet = await forFile(startFleet(['twin', 'vps']));
await fleet.call('POST', '/vhosts', { domain: 'own.example', config: 'tls internal\nrespond own' });
const ALL = ['local', 'twin', 'vps'];
async function scrape() {
  const answer = await ask(fleet.stack.hub.replace(/\/api$/, '/metrics'));
  const families = readExposition(answer.text);
  return (name: string, agent: string) =>
    sampleOf(families, `signalbox_${name}`, `agent="${agent}"`);
}

test('metrics have the name of the agent', async () => {
  const of = await until(async () => {
    const scraped = await scrape();
    const name = 'certificate_expiry_timestamp_seconds';
    return ALL.every((agent) => scraped(name, agent) !== undefined) && scraped;
  }, 'the certificates');
  for (const name of ALL) {
    for (const up of ['agent_up', 'proxy_up', 'in_step']) expect(of(up, name)).toBe(1);
    for (const no of ['drift', 'restart_needed', 'vhosts_broken']) expect(of(no, name)).toBe(0);
    expect(of('certificate_expiry_timestamp_seconds', name)).toBeGreaterThan(1e9);
  }
});

test('metrics say who', async () => {
  await fleet.other('twin').stopOnly();
  await fleet.untilState('twin', 'unreachable');
  const of = await scrape();
  for (const up of ['agent_up', 'proxy_up', 'in_step']) {
    expect(ALL.map((name) => [name, of(up, name)])).toEqual([
      ['local', 1],
      ['twin', 0],
      ['vps', 1],
    ]);
  }
  expect(of('certificate_expiry_timestamp_seconds', 'twin')).toBeUndefined();
});
