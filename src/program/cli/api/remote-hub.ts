/** The hub that a command uses: the one on this machine, or with `--hub` another one, with an API token. */
import { isLoopbackHost } from '../../../shared/loopback.ts';
import { visible } from '../../../shared/visible.ts';
import { givenIn } from '../../settings.ts';
import type { Cli, Given, Option } from '../command.ts';
import { type AskHub, openLocalHub, type Refusal, Refused, readGiven } from './local-hub.ts';

export const HUB_OPTION: Option = {
  takes: 'URL',
  summary: 'use the hub at this address, with the API token in SIGNALBOX_TOKEN',
};

/** @throws Refused if the address is none, or there is no token for it */
export async function chosenHub({ value }: Given, { env, err }: Cli): Promise<AskHub> {
  const given = value('hub');
  if (given === undefined) return (request) => openLocalHub(env, request);
  const url = URL.parse(given);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search) {
    throw new Refused({ message: '--hub takes an address such as https://signalbox.example' });
  }
  const file = givenIn(env, 'SIGNALBOX_TOKEN_FILE');
  const token = givenIn(env, 'SIGNALBOX_TOKEN') ?? (file && (await readGiven(file)).trim());
  if (!token || !/^[\x21-\x7e]+$/.test(token)) {
    const message =
      '--hub needs an API token in SIGNALBOX_TOKEN, or its file in SIGNALBOX_TOKEN_FILE';
    throw new Refused({ message });
  }
  if (url.protocol === 'http:' && !isLoopbackHost(url.host)) {
    err(`The API token goes to ${visible(url.host)} unencrypted; use https:// if you can.\n`);
  }
  const base = `${url.origin}${url.pathname.replace(/\/(?:api\/?)?$/, '')}/api`;
  return async ({ method = 'GET', path, body, headers = {}, isAnyType = false, signal }) => {
    const response = await fetch(`${base}${path}`, {
      method,
      // The token is for this hub alone.
      redirect: 'manual',
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    }).catch(() => {
      throw new Refused({ message: `there is no answer from ${url.host}`, isLost: true });
    });
    const isOfHub = /^application\/(?:json|yaml)\b/.test(
      response.headers.get('content-type') ?? '',
    );
    if (response.ok && (isOfHub || isAnyType)) return response;
    const refusal = (await response.json().catch(() => null)) as Partial<Refusal> | null;
    if (typeof refusal?.code === 'string' && typeof refusal.message === 'string') {
      throw new Refused(refusal as Refusal);
    }
    const target = URL.parse(response.headers.get('location') ?? '', base)?.origin;
    const where = target === undefined || target === 'null' ? '' : ` and names ${target}`;
    throw new Refused({ message: `no hub: ${url.host} answers ${response.status}${where}` });
  };
}
