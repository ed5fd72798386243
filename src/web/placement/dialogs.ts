/** What is done to several sites at once, the dialog of a block, and what some ask of a change: loaded together, they are smaller than each alone. */
export { ChangeQuestions } from '../parts/change-questions.tsx';
export { BlockDialog } from './block-dialog.tsx';
export { CheckDialog } from './check-dialog.tsx';
export { PoliciesDialog } from './policies-dialog.tsx';
export { ProxiesDialog } from './proxies-dialog.tsx';
export { TagsDialog } from './tags-dialog.tsx';
