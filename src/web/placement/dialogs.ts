/** The dialogs of policies, tags and blocks, and what some ask of a change: loaded together, they are smaller than each alone. */
export { ChangeQuestions } from '../parts/change-questions.tsx';
export { BlockDialog } from './block-dialog.tsx';
export { PoliciesDialog } from './policies-dialog.tsx';
export { TagsDialog } from './tags-dialog.tsx';
