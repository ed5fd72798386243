/** Publishes to a topic of an ntfy server. */
import { t } from 'elysia';
import { line } from './fields.ts';
import { defineKind, originOf } from './kind.ts';
import { post } from './post.ts';

/** From 1 to 5: with 4 and 5 a phone rings longer. */
const PRIORITIES = { bad: 4, warn: 3, over: 2, test: 3 };
/** The names of emojis, which ntfy shows before the title. */
const TAGS = {
  bad: 'rotating_light',
  warn: 'rotating_light',
  over: 'white_check_mark',
  test: 'wave',
};

export const ntfy = defineKind({
  title: 'ntfy',
  description: 'Phone notifications through ntfy.sh or your own server',
  fields: t.Object({
    url: line('server-url', { title: 'Server', default: 'https://ntfy.sh' }),
    topic: line('topic', {
      title: 'Topic',
      description: 'Anyone who knows the topic can read it, unless the server asks for a token.',
    }),
    token: t.Optional(line('token', { title: 'Access token', writeOnly: true })),
  }),
  placeOf: originOf,
  send({ url, topic, token }, { text: { title, body, mood }, signal }) {
    // As JSON and not in headers, which would have no room for letters beyond ASCII.
    const message = {
      topic,
      title,
      message: body,
      priority: PRIORITIES[mood],
      tags: [TAGS[mood]],
    };
    const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    return post(url, JSON.stringify(message), headers, signal);
  },
});
