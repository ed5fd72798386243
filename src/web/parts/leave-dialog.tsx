/** Asks before unsaved work is lost. */
import { useLeaving } from '../lib/router.ts';
import { Dialog } from './dialog.tsx';

export function LeaveDialog() {
  const leaving = useLeaving();
  if (!leaving) return null;
  return (
    <Dialog title="Leave without saving?" onClose={leaving.stay}>
      <p>{leaving.question}</p>
      <div class="actions">
        <button type="button" onClick={leaving.stay}>
          Stay
        </button>
        <button type="button" class="danger" onClick={leaving.leave}>
          Leave
        </button>
      </div>
    </Dialog>
  );
}
