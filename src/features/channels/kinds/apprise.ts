/** Hands a message to an Apprise API server, which passes it on to the services that it knows. */
import { t } from 'elysia';
import { line } from './fields.ts';
import { defineKind, originOf } from './kind.ts';
import { addressOf, post, type Reasons } from './post.ts';

const TYPES = { bad: 'failure', warn: 'warning', over: 'success', test: 'info' };

const REASONS: Reasons = [
  // A success, of sending nothing.
  [/^204 /, 'nothing is stored under this key, or no Apprise URL is valid'],
  [/^404 /, 'there is no Apprise API at this address'],
  [/^424 /, 'at least one service did not accept the message'],
];

export const apprise = defineKind({
  title: 'Apprise',
  description: 'Over a hundred other services, through your Apprise API server',
  fields: t.Object({
    url: line('server-url', { title: 'Server', examples: ['http://apprise.example.org:8000'] }),
    key: t.Optional(
      line('topic', {
        title: 'Key',
        description: 'Under which the server has stored Apprise URLs.',
      }),
    ),
    urls: t.Optional(
      line('apprise-urls', {
        title: 'Apprise URLs',
        description: 'Where messages go if there is no key, separated by commas.',
        writeOnly: true,
      }),
    ),
  }),
  placeOf: originOf,
  send({ url, key, urls }, { text: { title, body, mood }, signal }) {
    const message = { title, body, type: TYPES[mood], format: 'text' };
    if (key !== undefined) {
      return post(addressOf(url, `notify/${key}`), JSON.stringify(message), {}, signal, REASONS);
    }
    const stateless = JSON.stringify({ ...message, urls });
    return post(addressOf(url, 'notify'), stateless, {}, signal, REASONS);
  },
});
