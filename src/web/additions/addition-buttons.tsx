/** The buttons for what people often add to a site. */
import { ADDITIONS, type AdditionId } from './additions.ts';

const IDS = Object.keys(ADDITIONS) as AdditionId[];

export const AdditionButtons = ({ onChoose }: { onChoose: (id: AdditionId) => void }) => (
  <fieldset class="choices">
    <legend>Add to this site</legend>
    <div class="buttons">
      {IDS.map((id) => (
        <button key={id} type="button" onClick={() => onChoose(id)}>
          {ADDITIONS[id]}
        </button>
      ))}
    </div>
  </fieldset>
);
