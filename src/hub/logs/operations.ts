/** What the routes of the access log tell about themselves. */
import { about } from '../http/about.ts';

const FILTERS = {
  domain: { description: 'The host without its port, in Unicode or punycode.' },
  ip: { description: 'The client’s address.', example: '192.0.2.7' },
  from: { description: 'ISO 8601, UTC without a zone; inclusive.', example: '2026-11-20T18:00Z' },
  to: { description: 'ISO 8601, UTC without a zone; exclusive.', example: '2026-11-21' },
};

const ENTRY = {
  timestamp: '2026-11-20T18:00:00.123Z',
  domain: 'app.example.org',
  method: 'GET',
  path: '/',
  status: 200,
  latency: '1.234ms',
  ip: '192.0.2.7',
};

export const logs = about({
  id: 'listLogs',
  tag: 'Logs',
  summary: 'A page of the access log, newest first',
  description: 'A page past the end is empty. An empty parameter counts as absent.',
  access: 'read',
  params: {
    ...FILTERS,
    page: { description: 'From 1.', example: '1' },
    pageSize: { description: '1 to 500; 50 where it is not given.', example: '50' },
  },
  answer: { logs: [ENTRY], total: 1, page: 1, pageSize: 50 },
});

export const tail = about({
  id: 'tailLogs',
  tag: 'Logs',
  summary: 'What is logged from now on, as server-sent events',
  description: [
    'An `entry` event holds a LogEntry as JSON; a `gap` event the number of entries that were',
    'missed, or `null`. A comment comes every 15 seconds.',
  ].join('\n'),
  access: 'read',
  params: {
    ...FILTERS,
    after: {
      description: 'The id of the last event that was seen; the header comes before it.',
      example: '6b0c4b7d1f6a9e35-10240',
    },
  },
  headers: ['Last-Event-ID'],
  type: 'text/event-stream',
  answer: `event: entry\nid: 6b0c4b7d1f6a9e35-10240\ndata: ${JSON.stringify(ENTRY)}\n\n`,
});

const NUMBERS = { '1xx': 0, '2xx': 1, '3xx': 0, '4xx': 0, '5xx': 0, other: 0 };
const RANGE = { from: '2026-11-20T18:00:00.000Z', to: '2026-11-20T19:00:00.000Z' };

export const stats = about({
  id: 'getLogStats',
  tag: 'Logs',
  summary: 'Requests and latencies over time',
  access: 'read',
  params: {
    ...FILTERS,
    buckets: { description: 'Into how many stretches the range is cut, 1 to 500.', example: '24' },
  },
  answer: {
    ...RANGE,
    requests: 1,
    buckets: [{ ...RANGE, requests: NUMBERS, p50: 1.2, p95: 1.2 }],
    domains: [{ domain: ENTRY.domain, requests: 1 }],
    statuses: [{ status: 200, requests: 1 }],
    latest: {
      requests: 1,
      paths: [{ path: '/', requests: 1 }],
      ips: [{ ip: ENTRY.ip, requests: 1 }],
    },
  },
});
