/** A real Firefox, driven over WebDriver BiDi: the W3C's protocol, which Debian's Firefox speaks by itself. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './stack.ts';

export const firefoxProgram = Bun.which('firefox-esr') ?? Bun.which('firefox');

/** What a screen reader would say; a field for a password has no role. */
type Named = { role?: string; name: string };

export type Firefox = {
  open(url: string): Promise<void>;
  /** Waits for an element, and clicks in its middle. */
  click(element: Named): Promise<void>;
  /** Clicks a field and types into it. */
  type(field: string, text: string): Promise<void>;
  /** Waits until the page shows a text. */
  shows(text: string): Promise<void>;
  /** What the page has reported as errors. */
  errors(): readonly string[];
  stop(): Promise<void>;
};

type Message = {
  id?: number;
  result?: unknown;
  error?: string;
  message?: string;
  params?: { level?: string; text?: string };
};

/** No questions, no updates, nothing sent to its vendor. */
const PREFERENCES = [
  'user_pref("browser.shell.checkDefaultBrowser", false);',
  'user_pref("browser.startup.page", 0);',
  'user_pref("app.update.enabled", false);',
  'user_pref("datareporting.policy.dataSubmissionEnabled", false);',
  'user_pref("toolkit.telemetry.reportingpolicy.firstRun", false);',
  'user_pref("network.captive-portal-service.enabled", false);',
  'user_pref("network.connectivity-service.enabled", false);',
  'user_pref("browser.safebrowsing.downloads.remote.enabled", false);',
  'user_pref("services.settings.server", "data:,");',
].join('\n');

const LISTENS = /WebDriver BiDi listening on (ws:\S+)/;
const START_MS = 30_000;

/** @throws Error if Firefox does not start */
export async function startFirefox(): Promise<Firefox> {
  if (firefoxProgram === null) throw new Error('Firefox is not installed');
  const profile = mkdtempSync(join(tmpdir(), 'signalbox-firefox-'));
  await Bun.write(join(profile, 'user.js'), PREFERENCES);
  const child = Bun.spawn(
    [
      firefoxProgram,
      '--headless',
      '--no-remote',
      '--profile',
      profile,
      '--remote-debugging-port=0',
    ],
    { stdout: 'ignore', stderr: 'pipe', env: { ...process.env, HOME: profile } },
  );
  let said = '';
  void (async () => {
    for await (const bytes of child.stderr) said += new TextDecoder().decode(bytes);
  })();
  const address = await until(() => LISTENS.exec(said)?.[1], 'Firefox', START_MS);
  const socket = new WebSocket(`${address}/session`);
  const errors: string[] = [];
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error, message, params } = JSON.parse(String(data)) as Message;
    if (params?.level === 'error') errors.push(params.text ?? '');
    const answer = waiting.get(id ?? -1);
    if (error === undefined) answer?.resolve(result);
    else answer?.reject(new Error(`${error}: ${message}`));
    waiting.delete(id ?? -1);
  });
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));

  let last = 0;
  function send<T = unknown>(method: string, params: object): Promise<T> {
    const answer = Promise.withResolvers<unknown>();
    waiting.set(++last, answer);
    socket.send(JSON.stringify({ id: last, method, params }));
    return answer.promise as Promise<T>;
  }

  await send('session.new', { capabilities: {} });
  await send('session.subscribe', { events: ['log.entryAdded'] });
  const { context } = await send<{ context: string }>('browsingContext.create', { type: 'tab' });
  await send('browsingContext.setViewport', { context, viewport: { width: 1280, height: 800 } });

  async function find(value: Named) {
    const locator = { type: 'accessibility', value };
    const { nodes } = await send<{ nodes: { sharedId: string }[] }>('browsingContext.locateNodes', {
      context,
      locator,
      maxNodeCount: 1,
    });
    return nodes[0];
  }

  async function click(element: Named): Promise<void> {
    const node = await until(() => find(element), element.name);
    await send('script.callFunction', {
      functionDeclaration: '(element) => element.scrollIntoView({ block: "center" })',
      arguments: [node],
      target: { context },
      awaitPromise: false,
    });
    const origin = { type: 'element', element: node };
    const pointer = [
      { type: 'pointerMove', x: 0, y: 0, origin },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ];
    await act({ type: 'pointer', id: 'mouse', actions: pointer });
  }

  const act = (...actions: object[]) => send('input.performActions', { context, actions });

  async function text(): Promise<string> {
    const { result } = await send<{ result: { value?: string } }>('script.evaluate', {
      expression: 'document.body.innerText',
      target: { context },
      awaitPromise: false,
    });
    return result.value ?? '';
  }

  return {
    async open(url) {
      await send('browsingContext.navigate', { context, url, wait: 'complete' });
    },
    click,
    async type(field, typed) {
      await click({ name: field });
      const keys = [...typed].flatMap((value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ]);
      await act({ type: 'key', id: 'keyboard', actions: keys });
    },
    async shows(wanted) {
      await until(async () => (await text()).includes(wanted), wanted);
    },
    errors: () => errors,
    async stop() {
      await send('browser.close', {}).catch(() => undefined);
      socket.close();
      child.kill();
      await child.exited;
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
