/** The same question, asked of other programs; those that are not installed are named. */
import type { Logs } from '../../agent/logs/logs.ts';
import { ms, percentiles, printTable, timed } from './table.ts';

/** The newest fifty of a domain's 404s, from an index that is there already. */
export async function measureSearch(file: string, logs: Logs): Promise<void> {
  const filter = { domain: 'site7.example', status: 404, page: 1, pageSize: 50 };
  const [ours] = await percentiles(() => logs.page(filter));
  const pattern = '"host":"site7.example".*"status":404';
  const sql =
    `SELECT request.uri FROM read_ndjson('${file}', columns = {ts: 'DOUBLE', status: 'INTEGER', ` +
    "request: 'STRUCT(host VARCHAR, uri VARCHAR)'}) " +
    "WHERE request.host = 'site7.example' AND status = 404 ORDER BY ts DESC LIMIT 50";
  const peers = [
    ['jq', 'grep | tail | jq', `grep '${pattern}' ${file} | tail -n 50 | jq -c .request.uri`],
    ['duckdb', 'DuckDB', `duckdb -json -c "${sql}"`],
  ] as const;
  const rows = [['signalbox, warm', '1', ms(ours)]];
  for (const [program, name, command] of peers) {
    if (Bun.which(program)) {
      const time = await shell(['sh', '-c', command]);
      rows.push([name, (time / ours).toFixed(0), ms(time)]);
    } else {
      rows.push([name, 'not installed', '']);
    }
  }
  printTable(["newest 50 of a domain's 404s", 'time / ours', 'ms'], rows);
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
