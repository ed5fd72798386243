/** What a feature can bring to the dashboard. */
import type { ComponentChildren, ComponentType } from 'preact';
import type { Vhost } from './lib/types.ts';

/** On the page "Import & export", for owners. */
export type OwnerCard = ComponentType;

/** Around the incidents on the page "Notifications", for owners. */
export type AroundIncidents = ComponentType<{ children: ComponentChildren }>;

/** Beside the field with the address that a site forwards to; calls `onChoose` with another one. */
export type UpstreamPicker = ComponentType<{ onChoose: (address: string) => void }>;

/** On the page "Certificates", before those of the sites. @param query of the page's address */
export type CertificatesCard = ComponentType<{ query: URLSearchParams }>;

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
