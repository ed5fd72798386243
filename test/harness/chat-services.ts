/**
 * Stands in for Discord, Telegram, Slack and an Apprise API server, none of which a test can use: it answers as their
 * documentation says, with their limits and errors.
 */

type Posted = { path: string; query: string; body: Record<string, unknown> };

type ChatServices = {
  /** Targets that are accepted. */
  readonly targets: Readonly<{
    discord: { url: string };
    telegram: { url: string; token: string; chat: string };
    slack: { url: string };
    apprise: { url: string; key: string };
  }>;
  /** What was accepted, in order. */
  readonly posted: readonly Posted[];
  /** With how many seconds each service refuses what is too much; null: no more. */
  limit(seconds: number | null): void;
  stop(): Promise<void>;
};

/** In each target; nothing that a test shows or logs may have it. */
export const HIDDEN = 'a-hidden-part';
const TOKEN = `12345:${HIDDEN}`;

export function startChatServices(): ChatServices {
  const posted: Posted[] = [];
  let limit: number | null = null;

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request): Promise<Response> {
      const { pathname: path, search: query } = new URL(request.url);
      const body = (await request.json()) as Posted['body'];
      const [, first = ''] = path.split('/');
      const service = first.startsWith('bot') ? 'telegram' : first;
      const refused = (REFUSALS[service] ?? notFound)({ path, query, body }, limit);
      if (refused) return refused;
      posted.push({ path, query, body });
      return ACCEPTED[service]?.() ?? notFound();
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  return {
    targets: {
      discord: { url: `${url}/api/webhooks/1/${HIDDEN}` },
      telegram: { url, token: TOKEN, chat: '-1001' },
      slack: { url: `${url}/services/T0/B0/${HIDDEN}` },
      apprise: { url: `${url}/`, key: HIDDEN },
    },
    posted,
    limit(seconds) {
      limit = seconds;
    },
    stop: () => server.stop(true),
  };
}

const notFound = () => new Response('Not Found', { status: 404 });
const json = (status: number, body: object, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers });

type Refuse = (posted: Posted, limit: number | null) => Response | null;

const REFUSALS: Readonly<Record<string, Refuse>> = {
  api({ path, query, body }, limit) {
    const [, , , id, token] = path.split('/');
    if (id !== '1') return json(404, { message: 'Unknown Webhook', code: 10015 });
    if (token !== HIDDEN) return json(401, { message: 'Invalid Webhook Token', code: 50027 });
    if (query === '?forum=1&wait=true') return json(400, { thread_name: ['…'], code: 220001 });
    if (String(body.content).length > 2_000) {
      return json(400, { message: 'Invalid Form Body', code: 50035 });
    }
    if (limit === null) return null;
    return json(429, {
      message: 'You are being rate limited.',
      retry_after: limit - 0.5,
      global: false,
    });
  },

  telegram({ path, body }, limit) {
    const refuse = (error_code: number, description: string, parameters?: object) =>
      json(error_code, { ok: false, error_code, description, parameters });
    if (path !== `/bot${TOKEN}/sendMessage`) return refuse(401, 'Unauthorized');
    if (String(body.text).length > 4_096) return refuse(400, 'Bad Request: message is too long');
    if (limit !== null) {
      return refuse(429, `Too Many Requests: retry after ${limit}`, { retry_after: limit });
    }
    switch (body.chat_id) {
      case '-1001':
        return null;
      case '-2':
        return refuse(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
          migrate_to_chat_id: -1002,
        });
      case '3':
        return refuse(403, 'Forbidden: bot was blocked by the user');
      default:
        return refuse(400, 'Bad Request: chat not found');
    }
  },

  services({ path, body }, limit) {
    const word = (status: number, text: string) => new Response(text, { status });
    if (typeof body.text !== 'string') return word(400, 'invalid_payload');
    if (path === `/services/T1/B0/${HIDDEN}`) return word(403, 'action_prohibited');
    if (path === `/services/T0/B1/${HIDDEN}`) return word(410, 'channel_is_archived');
    if (path === '/services/T0/B0/other') return word(403, 'invalid_token');
    if (path !== `/services/T0/B0/${HIDDEN}`) return word(404, 'no_service');
    if (limit === null) return null;
    return new Response('rate_limited', { status: 429, headers: { 'Retry-After': `${limit}` } });
  },

  notify({ path, body }) {
    const [, , key] = path.split('/');
    if (!body.body) return json(400, { error: 'Payload lacks minimum requirements' });
    const isKnown = key === undefined ? String(body.urls).includes('://') : key !== 'other';
    if (!isKnown) return new Response(null, { status: 204 });
    if (key === 'dead') return json(424, { error: 'One or more notification could not be sent.' });
    return null;
  },
};

const ACCEPTED: Readonly<Record<string, () => Response>> = {
  api: () => json(200, { id: '1', type: 0 }),
  telegram: () => json(200, { ok: true, result: { message_id: 1 } }),
  services: () => new Response('ok'),
  notify: () => json(200, { error: null }),
};
