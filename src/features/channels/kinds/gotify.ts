/** Sends a message to a Gotify server, as one of its applications. */
import { t } from 'elysia';
import { line } from './fields.ts';
import { defineKind, originOf } from './kind.ts';
import { addressOf, post } from './post.ts';

/** From 0 to 10: its app rings from 4 on, and on top of other apps from 8 on. */
const PRIORITIES = { bad: 8, warn: 5, over: 2, test: 5 };

export const gotify = defineKind({
  title: 'Gotify',
  description: 'Phone notifications through your Gotify server',
  fields: t.Object({
    url: line('server-url', { title: 'Server', examples: ['https://gotify.example.org'] }),
    token: line('token', { title: 'Application token', writeOnly: true }),
  }),
  placeOf: originOf,
  send({ url, token }, { text: { title, body, mood }, signal }) {
    const message = { title, message: body, priority: PRIORITIES[mood] };
    const address = addressOf(url, 'message');
    return post(address, JSON.stringify(message), { 'X-Gotify-Key': token }, signal);
  },
});
