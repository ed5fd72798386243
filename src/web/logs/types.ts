/** What the API answers about the access log. */

export type LogEntry = {
  /** ISO 8601; empty where the line has no time that can be told. */
  timestamp: string;
  domain: string;
  method: string;
  path: string;
  status: number;
  /** `1.234ms` */
  latency: string;
  ip: string;
};

export type LogPage = {
  logs: LogEntry[];
  total: number;
  page: number;
  pageSize: number;
  /** Not everything was looked at: there may be more, all of it older. */
  partial?: true;
};

export const CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx', 'other'] as const;
export type StatusClass = (typeof CLASSES)[number];

export type Bucket = {
  from: string;
  to: string;
  requests: Record<StatusClass, number>;
  /** Milliseconds; null where there was no request. */
  p50: number | null;
  p95: number | null;
};

export type LogStats = {
  from: string | null;
  to: string | null;
  requests: number;
  buckets: Bucket[];
  domains: { domain: string; requests: number }[];
  statuses: { status: number; requests: number }[];
  latest: {
    requests: number;
    paths: { path: string; requests: number }[];
    ips: { ip: string; requests: number }[];
    partial?: true;
  };
  partial?: true;
};
