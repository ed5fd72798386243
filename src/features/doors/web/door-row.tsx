/** A site on the page "What is open". */
import { Time } from '../../../web/parts/time.tsx';
import type { DoorView } from '../schemas.ts';
import { cameWords, OPENS_WORDS } from '../words.ts';

type Props = { door: DoorView; isChosen: boolean; onChoose: (isChosen: boolean) => void };

export function DoorRow({ door, isChosen, onChoose }: Props) {
  const { vhost, domain, opensTo, proof, reason, paths, by, came, proposal } = door;
  const { words, shape, isOpen } = OPENS_WORDS[opensTo];
  return (
    <li>
      <div class="row">
        <input
          type="checkbox"
          aria-label={`Select ${domain}`}
          checked={isChosen}
          onChange={(event) => onChoose(event.currentTarget.checked)}
        />
        <a class="mono" href={`/sites/${vhost}`}>
          {domain}
        </a>
        <span class={isOpen ? 'tag tag-warn' : 'tag'}>
          <span aria-hidden="true">{shape} </span>
          {words}
        </span>
        {proof.path !== '/' && <span class="small mono">{proof.path}</span>}
      </div>
      <p class="small muted">
        {cameWords(came)}
        {came.last && (
          <>
            , most recently <Time at={came.last} />
          </>
        )}
        {by.length > 0 && `; ${by.length === 1 ? 'policy' : 'policies'} ${by.join(', ')}`}
      </p>
      {reason && <p class="small">{reason}.</p>}
      {proposal && <p class="small">Only home used it in the last 30 days: it can be closed.</p>}
      {paths.length > 0 && (
        <details class="small muted">
          <summary>Other paths</summary>
          <ul class="plain">
            {paths.map((one) => (
              <li key={one.path}>
                <span class="mono">{one.path}</span>: {OPENS_WORDS[one.opensTo].words}
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}
