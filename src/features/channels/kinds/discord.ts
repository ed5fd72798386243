/** Posts to a Discord channel, through a webhook of that channel. */
import { t } from 'elysia';
import { markedTitle } from './chat.ts';
import { line } from './fields.ts';
import { defineKind, originOf } from './kind.ts';
import { post, type Reasons } from './post.ts';

/** Characters of `content`. */
const LONGEST = 2_000;
/** Of a message: no previews of the links in it. */
const SUPPRESS_EMBEDS = 4;

const REASONS: Reasons = [
  [/^40[14] /, 'the webhook was deleted, or its address is wrong'],
  // The code of its answer.
  [/^400 .*\b220001\b/s, 'a forum needs a thread: add ?thread_id= with its ID to the address'],
];

export const discord = defineKind({
  title: 'Discord',
  description: 'A channel of your Discord server',
  fields: t.Object({
    url: line('webhook-url', {
      title: 'Webhook URL',
      description: 'From the settings of the Discord channel: Integrations, Webhooks.',
      examples: ['https://discord.com/api/webhooks/…'],
    }),
  }),
  placeOf: originOf,
  send({ url }, { text, signal }) {
    const address = new URL(url);
    // Without, Discord reports no message that it could not store.
    address.searchParams.set('wait', 'true');
    const message = {
      content: clip(`**${plain(markedTitle(text))}**\n${plain(text.body)}`),
      allowed_mentions: { parse: [] },
      flags: SUPPRESS_EMBEDS,
    };
    return post(address.href, JSON.stringify(message), {}, signal, REASONS);
  },
});

/** A backslash before what its Markdown, mentions, emojis and links begin with. */
const plain = (text: string): string =>
  text.replace(/[\\*_~`|<@#[\]]|:(?=\/|\w+:)|(?<=^[ \t]*)[>+-]/gm, '\\$&');

const clip = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST - 1).toWellFormed()}…` : text;
