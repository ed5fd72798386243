/** What the API answers about the whole configuration. */
export type Preamble = { config: string; updatedAt: string };

export type SnapshotSite = { domain: string; config: string; upstream: string; enabled: boolean };
export type Snapshot = { version: 1; preamble: string; vhosts: SnapshotSite[] };

export type ImportedSite = { id: number | null; domain: string; config: string; upstream: string };
export type ImportAnswer = {
  preamble: string;
  vhosts: ImportedSite[];
  skipped: { line: number; reason: string }[];
  proxyfile: string;
};
