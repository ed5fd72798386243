/** The dialogs of policies, tags and blocks: loaded together, they are smaller than each on its own. */
export { BlockDialog } from './block-dialog.tsx';
export { PoliciesDialog } from './policies-dialog.tsx';
export { TagsDialog } from './tags-dialog.tsx';
