/** Asks which of two texts to use, of something that the hub and an imported file both have. */
import { useId } from 'preact/hooks';
import { DiffView, diffLines } from '../parts/diff-view.tsx';

type Props = {
  name: string;
  /** More about the one that the hub has. */
  note?: string;
  diff: string;
  /** What it is called to leave it as it is, and to use the one of the file. */
  labels: { keep: string; file: string };
  isFile: boolean;
  onChoose: (isFile: boolean) => void;
};

export function ConflictChoice({ name, note, diff, labels, isFile, onChoose }: Props) {
  const group = useId();
  // Texts as short as these need no line numbers.
  const lines = diffLines(diff).filter(({ kind }, at) => kind !== 'hunk' || at > 0);
  return (
    <li>
      <fieldset class="conflict">
        <legend class="visually-hidden">{name}</legend>
        <div class="conflict-head">
          <span>
            <strong class="mono">{name}</strong>
            {note && <span class="muted"> {note}</span>}
          </span>
          <div class="segments">
            {([false, true] as const).map((file) => (
              <label key={String(file)}>
                <input
                  type="radio"
                  name={group}
                  checked={isFile === file}
                  onChange={() => onChoose(file)}
                />
                <span>{file ? labels.file : labels.keep}</span>
              </label>
            ))}
          </div>
        </div>
        {lines.length > 0 && <DiffView lines={lines} label={`From the hub to the file: ${name}`} />}
      </fieldset>
    </li>
  );
}
