// proof: promtool
/** The rules of docs/homepage.md and docs/notifications.md, and the board of the first, with Prometheus' own promtool. */
import { afterAll, describe, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesOf, readPage } from '../harness/page.ts';
import { findServer } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/stack.ts';

const PROMTOOL = findServer('PROMTOOL', 'promtool');
const RULES = '/etc/prometheus/rules/signalbox.yml';
const files = await filesOf('docs/homepage.md');
const page = await readPage('docs/homepage.md');
const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Board = {
  templating: { list: { name: string }[] };
  panels: {
    id: number;
    type: string;
    datasource: { uid: string };
    gridPos: { x: number; y: number; w: number; h: number };
    targets: { expr: string }[];
  }[];
};
type Rules = { groups: { rules: { alert: string; expr: string }[] }[] };

const board: Board = JSON.parse(page.blocksUnder('Grafana', 'json')[0] ?? '');
const rules = (Bun.YAML.parse(files.get(RULES) ?? '') as Rules).groups.flatMap(
  (group) => group.rules,
);
const expressions = [
  ...rules.map(({ expr }) => expr),
  ...board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
];

test('Grafana: panels fill the board without overlap, from the source that one chooses', () => {
  const [source] = board.templating.list;
  const taken = new Set<string>();
  for (const { id, datasource, gridPos } of board.panels) {
    expect([id, datasource.uid]).toEqual([id, `\${${source?.name}}`]);
    expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        expect(taken.has(`${x} ${y}`)).toBe(false);
        taken.add(`${x} ${y}`);
      }
    }
  }
  expect(new Set(board.panels.map(({ id }) => id)).size).toBe(board.panels.length);
});

describe.skipIf(PROMTOOL === null)('promtool', () => {
  const run = (...args: string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([PROMTOOL ?? '', ...args]);
    return { exitCode, text: `${stdout}${stderr}` };
  };
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  test('accepts the rules, those of the dead man’s switch and every expression of the board', async () => {
    const [deadMan = ''] = (await readPage('docs/notifications.md')).blocksUnder(
      ...(["A dead man's switch", 'yaml'] as const),
    );
    const recorded = expressions.map((expr, at) => ({
      record: `board:${at}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }));
    // JSON is YAML.
    const all = JSON.stringify({ groups: [{ name: 'board', rules: recorded }] });
    for (const text of [files.get(RULES) ?? '', deadMan, all]) {
      const { exitCode, text: said } = run('check', 'rules', write('rules.yml', text));
      expect([exitCode, said]).toEqual([0, expect.stringContaining('SUCCESS')]);
    }
  });

  test('fires each alert for what it is about, and none while all is well', () => {
    const WELL: Record<string, string> = {
      'signalbox_incidents_open{event="upstream.down"}': '0x40',
      signalbox_in_step: '1x40',
      'signalbox_upstream_up{upstream="127.0.0.1:8000"}': '1x40',
      'signalbox_proxy_starts_total{how="started"}': '1x40',
      signalbox_log_ship_lag_seconds: '2x40',
      'signalbox_sign_in_failures_total{reason="credentials"}': '3x40',
    };
    const WRONG: Record<string, [series: string, values: string]> = {
      SignalboxIncident: ['signalbox_incidents_open{event="upstream.down"}', '1x40'],
      SignalboxNotInStep: ['signalbox_in_step', '0x40'],
      SignalboxUpstreamDown: ['signalbox_upstream_up{upstream="127.0.0.1:8000"}', '0x40'],
      SignalboxCaddyRestarts: ['signalbox_proxy_starts_total{how="started"}', '1+1x40'],
      SignalboxLogNotShipped: ['signalbox_log_ship_lag_seconds', '600x40'],
      SignalboxGuessing: ['signalbox_sign_in_failures_total{reason="credentials"}', '0+10x40'],
    };
    expect(Object.keys(WRONG)).toEqual(rules.map(({ alert }) => alert));
    const seriesOf = (change: Record<string, string>) =>
      Object.entries({ ...WELL, ...change }).map(([series, values]) => ({ series, values }));
    const tests = [null, ...Object.keys(WRONG)].map((wrong) => {
      const [series, values] = WRONG[wrong ?? ''] ?? [];
      const expected = `count by (alertname) (ALERTS{alertstate="firing"})`;
      return {
        interval: '1m',
        input_series: seriesOf(series && values ? { [series]: values } : {}),
        promql_expr_test: [
          {
            expr: expected,
            eval_time: '30m',
            exp_samples: wrong ? [{ labels: `{alertname="${wrong}"}`, value: 1 }] : [],
          },
        ],
      };
    });
    write('rules.yml', files.get(RULES) ?? '');
    const file = write('test.yml', JSON.stringify({ rule_files: ['rules.yml'], tests }));
    expect(run('test', 'rules', file)).toEqual({ exitCode: 0, text: expect.any(String) });
  });
});
