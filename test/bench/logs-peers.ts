/** The same questions, asked of other programs; those that are not installed are named. */
import { createLogs, type Logs } from '../../agent/logs/logs.ts';
import { ms, percentiles, printTable, timed } from './table.ts';

/** A program with what it is given, and the most lines for which it takes less than a minute. */
type Peer = { name: string; needs: string[]; command: string; most?: number };

/** The newest fifty of a domain's 404s, from an index that is there already. */
export async function measureSearch(file: string, lines: number, logs: Logs): Promise<void> {
  const filter = { domain: 'site7.example', status: 404, page: 1, pageSize: 50 };
  const [ours] = await percentiles(() => logs.page(filter));
  const pattern = '"host":"site7.example".*"status":404';
  const select = 'select(.request.host == "site7.example" and .status == 404) | .request.uri';
  const rest = 'tail -n 50 | jq -c .request.uri';
  const sql =
    `SELECT request.uri FROM read_ndjson('${file}', columns = {ts: 'DOUBLE', status: 'INTEGER', ` +
    "request: 'STRUCT(host VARCHAR, uri VARCHAR)'}) " +
    "WHERE request.host = 'site7.example' AND status = 404 ORDER BY ts DESC LIMIT 50";
  const peers: Peer[] = [
    {
      name: 'rg | tail | jq',
      needs: ['rg', 'jq'],
      command: `rg '${pattern}' ${file} | ${rest}`,
    },
    {
      name: 'grep | tail | jq',
      needs: ['grep', 'jq'],
      command: `grep '${pattern}' ${file} | ${rest}`,
    },
    { name: 'DuckDB', needs: ['duckdb'], command: `duckdb -json -c "${sql}"` },
    {
      name: 'lnav | tail | jq',
      needs: ['lnav', 'jq'],
      command: `lnav -n -c ':filter-in ${pattern}' ${file} | ${rest}`,
    },
    {
      name: 'jq | tail',
      needs: ['jq'],
      command: `jq -c '${select}' ${file} | tail -n 50`,
      most: 1_000_000,
    },
  ];
  await compare("newest 50 of a domain's 404s", 'signalbox, warm', ours, { lines, peers });
}

/** Numbers of the whole log, from nothing. */
export async function measureReport(file: string, lines: number): Promise<void> {
  const logs = createLogs({ file, timeout: 600_000 });
  const ours = await timed(() => logs.stats({ buckets: 60 }));
  logs.close();
  const command = `goaccess ${file} --log-format=CADDY --no-progress -o json`;
  const peers = [{ name: 'goaccess', needs: ['goaccess'], command, most: 100_000 }];
  await compare('numbers of everything', 'signalbox, index and stats', ours, { lines, peers });
}

async function compare(
  question: string,
  name: string,
  ours: number,
  { lines, peers }: { lines: number; peers: readonly Peer[] },
): Promise<void> {
  const rows = [[name, '1', ms(ours)]];
  for (const { name, needs, command, most = Number.POSITIVE_INFINITY } of peers) {
    if (!needs.every((program) => Bun.which(program))) {
      rows.push([name, 'not installed', '']);
    } else if (lines > most) {
      rows.push([name, 'too slow', '']);
    } else {
      const time = await shell(['sh', '-c', command]);
      rows.push([name, (time / ours).toFixed(0), ms(time)]);
    }
  }
  printTable([question, 'time / ours', 'ms'], rows);
}

/** The milliseconds of a command. @throws if it fails or writes nothing */
export async function shell(command: string[]): Promise<number> {
  let [text, exit] = ['', 0];
  const time = await timed(async () => {
    // With its output to a pipe: if nothing reads the count, grep stops at the first match.
    const { stdout, exited } = Bun.spawn(command, { stdout: 'pipe' });
    text = await stdout.text();
    exit = await exited;
  });
  if (exit !== 0 || text === '') throw new Error(`no answer from ${command.join(' ')}`);
  return time;
}
