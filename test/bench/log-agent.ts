/** An agent's log engine in a process of its own, for `logs-merged.ts`; prints its port. */
import { listenWithLogs } from '../harness/log-agents.ts';
import { pack } from './logs-history.ts';

const [, , file = '', form] = process.argv;
const { logs, app } = listenWithLogs(file, 0);
await logs.warm();
console.log(app.server?.port);
if (form === 'rolled') await pack(file);
