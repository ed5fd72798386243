/** What features bring to the dashboard, one line each; for pages of seldom.ts, in seldom-features.ts. */
import { ContainerPicker } from '../features/containers/web/container-picker.tsx';
import type { UpstreamPicker } from './feature.ts';

export const UPSTREAM_PICKERS: readonly UpstreamPicker[] = [ContainerPicker];
