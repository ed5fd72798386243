/** Posts JSON with a signature to any address. */
import { createHmac } from 'node:crypto';
import type { Happening } from '../message.ts';
import { secret, webhookUrl } from './fields.ts';
import { defineKind, originOf, type Sending } from './kind.ts';
import { post } from './post.ts';

export const webhook = defineKind<'url' | 'secret'>({
  fields: { url: webhookUrl, secret },
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

function bodyOf({ hub, delivery: { id, happenings }, text }: Sending) {
  const [first, ...more] = happenings;
  if (more.length === 0) return { id, hub, ...view(first) };
  return {
    ...{ id, hub, state: 'digest', event: null, about: '' },
    level: text.mood === 'bad' ? 'bad' : 'warn',
    message: text.title,
    at: new Date(Math.max(...happenings.map(({ at }) => at.getTime()))).toISOString(),
    happenings: happenings.map(view),
  };
}

const view = ({ state, event, about, level, message, at }: Happening) => ({
  ...{ state, event, about, level, message },
  at: at.toISOString(),
});
