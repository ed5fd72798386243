/** What opens above any page and is loaded only then. */
export { KeysHelp } from './keys-help.tsx';
export { Palette } from './palette.tsx';
