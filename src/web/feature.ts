/** What a feature can bring to the dashboard. */
import type { ComponentChildren, ComponentType } from 'preact';
import type { Entry, Vhost } from './lib/types.ts';

/** On the page "Import & export", for owners. */
export type OwnerCard = ComponentType;

/** Around the incidents on the page "Notifications", for owners. */
export type AroundIncidents = ComponentType<{ children: ComponentChildren }>;

/** Beside the field with the address that a site forwards to; calls `onChoose` with another one. */
export type UpstreamPicker = ComponentType<{ onChoose: (address: string) => void }>;

/** On the page "Certificates", before those of the sites. @param query of the page's address */
export type CertificatesCard = ComponentType<{ query: URLSearchParams }>;

/** On the first page, once there are sites, above its lists. `entries`: the last changes. */
export type OverviewSection = ComponentType<{ entries: readonly Entry[] }>;

/** On the page of a site, above its last requests. `host`: as the log has it; `domain`: as the changelog has it. */
export type RequestsSection = ComponentType<{ host: string; domain: string }>;

/** On the page of the log, between filters and requests. `query`: the filters, as they are in the address. */
export type LogSection = ComponentType<{ query: URLSearchParams; isLive: boolean }>;

/** On the page of a site, below its state. */
export type SiteSection = ComponentType<{ site: Vhost }>;

/** Something to import from, besides a snapshot. */
export type ImportSource = {
  /** For the address of the page. */
  name: string;
  label: string;
  /** What leads through it. */
  Source: ComponentType;
  /** Whether what is typed there stays while another one is chosen. */
  staysMounted?: boolean;
};
