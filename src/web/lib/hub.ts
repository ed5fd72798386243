/** The hub's status, polled less often while the page is hidden, and the signed-in user. */
import { createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { type ApiError, get, onAnswer } from './api.ts';
import type { Agent, Status, User } from './types.ts';

type Hub = {
  /** The last one received. */
  status: Status | null;
  /** The first one first, then by name; none until they are known. */
  agents: readonly Agent[];
  /** The hub does not answer. */
  offline: boolean;
  /** Polls now. */
  refresh: () => void;
  /** Loads the signed-in user, after a change of what they are or have. */
  reloadUser: () => Promise<void>;
};

const EVERY_MS = 5_000;
const OFFLINE_EVERY_MS = 2_000;
/** For the number in the title of a tab in the background. */
const HIDDEN_EVERY_MS = 30_000;

/** Provided by the app; pages use `useHub` and `useUser`. */
export const HubContext = createContext<Hub>({
  status: null,
  agents: [],
  offline: false,
  refresh: () => {},
  reloadUser: async () => {},
});
export const UserContext = createContext<User | null>(null);

/** The hub's status for the component. */
export const useHub = (): Hub => useContext(HubContext);
/** The signed-in user; null outside of the pages. */
export const useUser = (): User | null => useContext(UserContext);

/** The names of all proxies if there are several; none if there is only one, which needs no name. */
export function useProxyNames(): readonly string[] {
  const { agents } = useHub();
  return agents.length > 1 ? agents.map(({ name }) => name) : [];
}

/** The names of those proxies whose agents do not answer: nobody knows how they are. */
export const silentIn = (agents: readonly Agent[]): string[] =>
  agents.flatMap(({ name, latencyMs }) => (latencyMs === null ? name : []));

/** Whether hub and agent answered the last request; of several agents, one is enough. */
export function useAnswers(): boolean {
  const { offline, status, agents } = useHub();
  if (offline) return false;
  if (agents.length > 1) return agents.some(({ state }) => state !== 'unreachable');
  return status?.agent.reachable !== false;
}

/** How many publishes, even someone else's, the component has noticed; for the keys of what they change. */
export function usePublishes(): number {
  const { status } = useHub();
  const known = useRef<{ at: string | null; count: number }>(undefined);
  if (status) {
    const at = status.lastPublish?.at ?? null;
    const { at: before = at, count = 0 } = known.current ?? {};
    known.current = { at, count: at === before ? count : count + 1 };
  }
  return known.current?.count ?? 0;
}

type Watched = Omit<Hub, 'reloadUser'>;

/**
 * Polls the status.
 * @param onRefused called with the code of each request that the hub refuses
 */
export function useHubState(signedIn: boolean, onRefused: (code: string) => void): Watched {
  const [status, setStatus] = useState<Status | null>(null);
  const [offline, setOffline] = useState(false);
  const [turn, setTurn] = useState(0);

  useEffect(
    () =>
      onAnswer((error: ApiError | null) => {
        setOffline(error?.status === 0);
        if (error) onRefused(error.code);
      }),
    [onRefused],
  );

  useEffect(() => {
    if (!signedIn) return;
    const own = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const poll = async () => {
      clearTimeout(timer);
      const next = await get<Status>('/status', own.signal).catch(() => null);
      if (own.signal.aborted) return;
      if (next) setStatus(next);
      const pause = document.hidden ? HIDDEN_EVERY_MS : next ? EVERY_MS : OFFLINE_EVERY_MS;
      timer = setTimeout(poll, pause);
    };
    const resume = () => {
      if (!document.hidden) void poll();
    };
    document.addEventListener('visibilitychange', resume);
    void poll();
    return () => {
      own.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', resume);
    };
  }, [signedIn, turn]);

  const agents = status?.agents ?? NONE;
  return { status, agents, offline, refresh: () => setTurn((value) => value + 1) };
}

const NONE: readonly Agent[] = [];
