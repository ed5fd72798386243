/** What a feature can bring to the dashboard. */
import type { ComponentType } from 'preact';

/** Beside the field with the address that a site forwards to; calls `onChoose` with another one. */
export type UpstreamPicker = ComponentType<{ onChoose: (address: string) => void }>;
