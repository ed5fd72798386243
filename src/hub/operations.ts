/** What the routes of no feature tell about themselves. */
import { about } from './http/about.ts';

export const health = about({
  id: 'getHealth',
  tag: 'Status',
  summary: 'Tells that the hub answers',
  access: 'anyone',
  answer: { status: 'ok' },
});

export const metrics = about({
  id: 'getMetrics',
  tag: 'Status',
  summary: 'Numbers for Prometheus',
  description: 'It lies beside `/api`, not below it. A cookie does not count.',
  access: 'near',
  type: 'text/plain',
  answer: 'signalbox_proxy_up 1\n',
});
