/** What a feature can bring to the dashboard. */
import type { ComponentChildren, ComponentType } from 'preact';
import type { Entry, Linked, Problem, Vhost } from './lib/types.ts';
import type { Loaded } from './lib/use-load.ts';

/** What a page of its own shows. @param query of its address */
export type PageView = ComponentType<{ query: URLSearchParams }>;

/** On the page "Import & export", for owners. */
export type OwnerCard = ComponentType;

/** Around the incidents on the page "Notifications", for owners. */
export type AroundIncidents = ComponentType<{ children: ComponentChildren }>;

/** On the account page, below the password. @param ways all that sign in to the account, also its password */
export type AccountCard = ComponentType<{ ways: Loaded<Linked[]>; hasPassword: boolean }>;

/** Instead of the dialog in which users prove who they are by the password. `onDone`: called with whether they have. */
export type ProveDialog = ComponentType<{
  title: string;
  onDone: (isProved: boolean) => void;
  /** Why it asks. */
  children: ComponentChildren;
}>;

/** Above every page. */
export type PageNotice = ComponentType;

/** The second step of a sign-in. `onBack` begins again, with the password. */
export type SecondStep = ComponentType<{ onSignedIn: () => Promise<void>; onBack: () => void }>;

/** Other ways to sign in than by a password. */
export type SignInWay = {
  /** Whether this browser used it before: it comes first then. */
  isUsual: () => boolean;
  Buttons: ComponentType<SignInButtons>;
  /** How a visit elsewhere ended, as the address says it until then; `isHalf`: the second step is missing. */
  takeReturn: () => { notice: ComponentChildren; isHalf: boolean };
};

export type SignInButtons = {
  /** Whether an account is to be made. */
  signUp: boolean;
  /** The token of an invitation; may be empty. */
  invitation: string;
  onSignedIn: () => Promise<void>;
};

/** Beside the field with the address that a site forwards to; calls `onChoose` with another one. */
export type UpstreamPicker = ComponentType<{ onChoose: (address: string) => void }>;

/** On the page "Certificates", before those of the sites. @param query of the page's address */
export type CertificatesCard = ComponentType<{ query: URLSearchParams }>;

/** On the first page, once there are sites, above its lists. `entries`: the last changes. */
export type OverviewSection = ComponentType<{ entries: readonly Entry[] }>;

/** On the page of a site, above its last requests. `host`: as the log has it; `onChanged`: as of a `SiteSection`. */
export type RequestsSection = ComponentType<{
  host: string;
  site: Vhost;
  onChanged: () => Promise<unknown>;
}>;

/** On the page of the log, between filters and requests. `query`: the filters, as they are in the address. */
export type LogSection = ComponentType<{ query: URLSearchParams; isLive: boolean }>;

/** In the details of a request in the log. `cause`: why it failed, a code; `host`: as the log has it. */
export type CauseNote = ComponentType<{ cause: string; host: string }>;

/** The same of any request that has a time. `at`: that, as the log has it; `onClose`: called before it leads elsewhere. */
export type EntryLink = ComponentType<{ at: string; host: string; onClose: () => void }>;

/** On the page of a site, below its state. `onChanged`: called once it has changed the site, waits until that is loaded. */
export type SiteSection = ComponentType<{ site: Vhost; onChanged: () => Promise<unknown> }>;

/** What solves a problem whose cause is known, and the change that does. `onPublished`: called once that is live. */
export type ProblemCure = ComponentType<{
  cure: NonNullable<Problem['cure']>;
  /** Whether the user may change sites. */
  canPublish: boolean;
  onPublished: () => unknown;
}>;

/** Something that can be asked of a change before it is published. */
export type ChangeQuestion = ComponentType<PlannedChange>;

export type PlannedChange = {
  /** As operations; or what it is about, and what begins a replay of it and returns the id of that. */
  of: readonly object[] | { about: string; begin: () => Promise<string> };
  /** The only proxy that is asked; by default all that the change concerns. */
  agent?: string | undefined;
  /** Whether it changes who gets in. */
  isGuard?: boolean;
};

/** On the page of a proxy; `onChanged` is called once it has changed that. */
export type ProxyCard = ComponentType<{ name: string; onChanged: () => unknown }>;

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
