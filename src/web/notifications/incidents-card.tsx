/** The problems that the hub has seen, open ones first. */
import { ListCard } from '../account/list-card.tsx';
import { IncidentItem } from '../incidents/incident-list.tsx';
import { get } from '../lib/api.ts';
import type { Incident } from '../lib/types.ts';
import { useEvery } from '../lib/use-every.ts';
import { useLoad } from '../lib/use-load.ts';
import { useFirstOnes } from './use-first-ones.tsx';

const EVERY_MS = 10_000;

export function IncidentsCard() {
  const list = useLoad('incidents', async (signal) => {
    const incidents = await get<Incident[]>('/incidents', signal);
    const isOver = ({ overAt }: Incident) => overAt !== null;
    return [...incidents.filter((one) => !isOver(one)), ...incidents.filter(isOver)];
  });
  useEvery(EVERY_MS, list.reload);
  const { first, more } = useFirstOnes(list);
  return (
    <ListCard
      title="Problems"
      help="Problems that lasted more than a few seconds, open ones first."
      list={first}
      empty="No problems so far."
      action={more}
      item={(incident) => <IncidentItem key={incident.id} incident={incident} />}
    />
  );
}
