/** What features bring to the form of a site, one line each: apart, as it is loaded with this only. */
import { ContainerPicker } from '../features/containers/web/container-picker.tsx';
import type { UpstreamPicker } from './feature.ts';

export const UPSTREAM_PICKERS: readonly UpstreamPicker[] = [ContainerPicker];
