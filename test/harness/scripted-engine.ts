/** Stands in for a container engine whose containers are whatever a test says, with events. */
import { idOf, inspected } from '../features/containers/agent/docker.ts';
import { stuckEngine } from '../features/containers/engine.ts';

export type Given = NonNullable<Parameters<typeof inspected>[1]> & { startedAt?: string };

export function scriptedEngine() {
  /** What is there, by its id. */
  let there = new Map<string, { name: string; given: Given }>();
  let answers: ((path: string) => Response | Promise<Response> | null) | null = null;
  let isChanged = Promise.withResolvers<void>();

  function event(): void {
    const before = isChanged;
    isChanged = Promise.withResolvers();
    before.resolve();
  }

  /** One event, and the end of the stream: the agent asks again. */
  const nextEvent = () =>
    new ReadableStream({
      async pull(controller) {
        await isChanged.promise;
        controller.enqueue(new TextEncoder().encode('{"Type":"container","Action":"start"}\n'));
        controller.close();
      },
    });

  const engine = stuckEngine(async (path) => {
    const other = await answers?.(path);
    if (other) return other;
    if (path.startsWith('/events')) return new Response(nextEvent());
    if (path.startsWith('/containers/json')) {
      const all = [...there].map(([Id, { given }]) => ({ Id, State: given.state, given }));
      return Response.json(all);
    }
    const one = there.get(path.split('/')[2] ?? '');
    if (!one) return new Response('{}', { status: 404 });
    const { name, given } = one;
    const said = inspected(name, given);
    const StartedAt = given.startedAt ?? said.State.StartedAt;
    return Response.json({ ...said, State: { ...said.State, StartedAt } });
  });

  return {
    ...engine,
    /** From now on these are there, by name. One with other labels is another container. */
    change(containers: Readonly<Record<string, Given>>): void {
      there = new Map(
        Object.entries(containers).map(([name, given]) => {
          const { id = idOf(`${name} ${JSON.stringify(given.labels)}`) } = given;
          return [id, { name, given: { state: 'running', ...given, id } }];
        }),
      );
      event();
    },
    /** What is answered instead; null: as before. */
    answer(next: typeof answers): void {
      answers = next;
      event();
    },
  };
}

/** Labels as a container has them. */
export const labelsOf = (fields: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([key, one]) => [`signalbox.${key}`, one]));

/** One that listens on a published port. @param labels without `signalbox.` */
export const labelled = (
  port: number,
  labels: Readonly<Record<string, string>>,
  more: Given = {},
): Given => ({
  labels: labelsOf(labels),
  ports: { '80/tcp': [['127.0.0.1', String(port)]] },
  ...more,
});
