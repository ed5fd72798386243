/** Posts JSON with a signature to any address. */
import { createHmac } from 'node:crypto';
import { t } from 'elysia';
import type { Message } from '../message.ts';
import { line } from './fields.ts';
import { defineKind, originOf, type Sending } from './kind.ts';
import { post } from './post.ts';

export const webhook = defineKind({
  title: 'Webhook',
  description: 'Signed JSON to a URL',
  fields: t.Object({
    url: line('webhook-url', { title: 'Address', examples: ['https://hooks.example.org/…'] }),
    secret: line('secret', {
      title: 'Secret',
      description:
        'Signs the messages; at least 16 characters. Leave empty to generate one, which is shown once.',
      writeOnly: true,
      generated: true,
    }),
  }),
  placeOf: originOf,
  send(target, sending) {
    const body = JSON.stringify(bodyOf(sending));
    const signature = createHmac('sha256', target.secret).update(body).digest('hex');
    const headers = {
      'X-Signalbox-Signature': `sha256=${signature}`,
      'X-Signalbox-Id': sending.delivery.id,
    };
    return post(target.url, body, headers, sending.signal);
  },
});

function bodyOf({ hub, delivery: { id, messages }, text }: Sending) {
  const [first, ...more] = messages;
  if (more.length === 0) return { id, hub, ...view(first) };
  return {
    id,
    hub,
    state: 'digest',
    event: null,
    about: '',
    level: text.mood === 'bad' ? 'bad' : 'warn',
    message: text.title,
    at: new Date(Math.max(...messages.map(({ at }) => at.getTime()))).toISOString(),
    happenings: messages.map(view),
  };
}

const view = ({ state, event, about, level, message, at }: Message) => ({
  state,
  event,
  about,
  level,
  message,
  at: at.toISOString(),
});
