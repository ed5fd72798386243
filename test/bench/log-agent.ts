/** An agent's log engine in a process of its own, for `logs-merged.ts`; prints its port. */
import { listenWithLogs } from '../harness/log-agents.ts';

const { logs, app } = listenWithLogs(process.argv[2] ?? '', 0);
await logs.warm();
console.log(app.server?.port);
