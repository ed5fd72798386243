/** Posts to a Slack channel, through an incoming webhook. */
import { t } from 'elysia';
import { markedTitle } from './chat.ts';
import { line } from './fields.ts';
import { defineKind, originOf } from './kind.ts';
import { post, type Reasons } from './post.ts';

/** By the word that it answers with. */
const REASONS: Reasons = [
  [/^410 |channel_is_archived/, 'the Slack channel is archived'],
  [/^404 |invalid_token/, 'the webhook or its channel was removed, or its address is wrong'],
  [/^403 /, 'the workspace does not allow it'],
];

export const slack = defineKind({
  title: 'Slack',
  description: 'A channel in Slack, or in Mattermost',
  fields: t.Object({
    url: line('webhook-url', {
      title: 'Webhook URL',
      description: 'Of an app with incoming webhooks.',
      examples: ['https://hooks.slack.com/services/…'],
    }),
  }),
  placeOf: originOf,
  send({ url }, { text, signal }) {
    const message = {
      text: escaped(`${markedTitle(text)}\n${text.body}`),
      // Neither its Markdown, nor names and channels as links.
      mrkdwn: false,
      parse: 'none',
      unfurl_links: false,
    };
    return post(url, JSON.stringify(message), {}, signal, REASONS);
  },
});

/** Links and mentions begin with `<`, and Slack reads these three in any text. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
