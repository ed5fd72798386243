/** The page for what breaks while nobody is looking: what did, and for owners what features make of it. */
import { get } from '../lib/api.ts';
import { useCan } from '../lib/roles.ts';
import type { Incident } from '../lib/types.ts';
import { useEvery, useLoad } from '../lib/use-load.ts';
import { ListCard } from '../parts/list-card.tsx';
import { AROUND_INCIDENTS } from '../seldom-features.ts';
import { IncidentItem } from './incident-list.tsx';

const EVERY_MS = 10_000;

export function NotificationsPage() {
  const around = useCan('owner') ? AROUND_INCIDENTS : [];
  return (
    <>
      <h1>Notifications</h1>
      <div class="cards stack">
        {around.reduce(
          (cards, Around) => (
            <Around>{cards}</Around>
          ),
          <IncidentsCard />,
        )}
      </div>
    </>
  );
}

/** The problems that the hub has seen, open ones first. */
function IncidentsCard() {
  const list = useLoad('incidents', async (signal) => {
    const incidents = await get<Incident[]>('/incidents', signal);
    const isOver = ({ overAt }: Incident) => overAt !== null;
    return [...incidents.filter((one) => !isOver(one)), ...incidents.filter(isOver)];
  });
  useEvery(EVERY_MS, list.reload);
  return (
    <ListCard
      title="Incidents"
      help="What broke on its own and lasted more than a few seconds, open problems first. What people changed is under Changes."
      list={list}
      empty="No incidents so far."
      isLong
      item={(incident) => <IncidentItem key={incident.id} incident={incident} />}
    />
  );
}
