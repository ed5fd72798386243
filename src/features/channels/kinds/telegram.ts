/** Sends a message to a Telegram chat, as a bot. */
import { t } from 'elysia';
import { markedTitle } from './chat.ts';
import { line } from './fields.ts';
import { defineKind, originOf } from './kind.ts';
import { addressOf, post, type Reasons } from './post.ts';

const REASONS: Reasons = [
  [/^40[14] /, 'the bot token or the server is wrong'],
  [/chat not found/, 'the bot does not know the chat: write to it first, or add it to the group'],
  [/upgraded to a supergroup/, 'the group became a supergroup, which has another ID'],
  [/^403 /, 'the bot may not write to the chat: it was blocked, removed or never started'],
];

export const telegram = defineKind({
  title: 'Telegram',
  description: 'A Telegram chat, group or channel, through your bot',
  fields: t.Object({
    url: line('server-url', { title: 'Server', default: 'https://api.telegram.org' }),
    token: line('bot-token', {
      title: 'Bot token',
      description: 'From @BotFather.',
      writeOnly: true,
    }),
    chat: line('chat', {
      title: 'Chat',
      description: 'The ID of the chat, or @name of a public group or channel.',
      examples: ['-1001234567890'],
    }),
  }),
  placeOf: originOf,
  send({ url, token, chat }, { text, signal }) {
    const title = withoutMentions(markedTitle(text));
    const message = {
      chat_id: chat,
      text: `${title}\n${withoutMentions(text.body)}`,
      // Instead of a `parse_mode`, which would find markup in the text.
      entities: [{ type: 'bold', offset: 0, length: title.length }],
      link_preview_options: { is_disabled: true },
      disable_notification: text.mood === 'over',
    };
    const address = addressOf(url, `bot${token}/sendMessage`);
    return post(address, JSON.stringify(message), {}, signal, REASONS);
  },
});

/** Telegram finds mentions in any text: an invisible character after the @ prevents that. */
const withoutMentions = (text: string): string => text.replace(/(?<!\w)@/g, '@\u2060');
