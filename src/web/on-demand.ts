/** Parts that open on a page when somebody asks for them: loaded together, they are smaller than each alone. */
export { BellPanel } from './incidents/bell-panel.tsx';
export { ChangeQuestions } from './parts/change-questions.tsx';
export { KeysHelp } from './parts/keys-help.tsx';
export { Palette } from './parts/palette.tsx';
export { BlockDialog } from './placement/block-dialog.tsx';
export { PoliciesDialog } from './placement/policies-dialog.tsx';
export { TagsDialog } from './placement/tags-dialog.tsx';
export { CheckDialog } from './sites/list/check-dialog.tsx';
export { ProxiesDialog } from './sites/list/proxies-dialog.tsx';
export { Facts } from './status/facts.tsx';
export { ProblemList } from './status/problem-list.tsx';
