/** A message: what is sent to a channel when an incident begins or is over, and its words for a person. Pure. */
import { DROPPED } from '../../hub/watch/incidents/incidents.ts';
import { type EventName, ONE_OFF } from '../../shared/events.ts';

/** `event` is null for a test. `about` is a domain, an agent, or empty for the hub. */
export type Message = Readonly<{
  id: number;
  state: 'began' | 'over' | 'flapping' | 'test';
  event: EventName | null;
  about: string;
  level: 'bad' | 'warn';
  message: string;
  at: Date;
  /** Of one that is over: when it began. */
  beganAt?: Date | undefined;
}>;

/** Several messages are a digest. */
export type Delivery = Readonly<{
  /** The same at each attempt, so that a receiver can tell a repetition. */
  id: string;
  messages: readonly [Message, ...Message[]];
}>;

/** `mood` is what matters most of it. */
export type Text = Readonly<{
  title: string;
  body: string;
  mood: 'bad' | 'warn' | 'over' | 'test';
}>;

/** When it began, and when it is over. */
const PHRASES: Readonly<Record<EventName, readonly [began: string, over: string]>> = {
  'certificate.ending': ['certificate not renewed', 'certificate renewed'],
  'certificate.failed': ['no certificate', 'certificate obtained'],
  'proxy.down': ['Caddy is down', 'Caddy is up again'],
  'agent.unreachable': ['agent unreachable', 'agent answers again'],
  'agent.behind': ['Caddy is out of date', 'Caddy is up to date again'],
  'program.returned': [
    'new Caddy is not used, the one before runs',
    'program of Caddy is fine again',
  ],
  drift: ['Caddyfile changed by another program', 'Caddyfile restored'],
  'vhost.broken': ['site broken', 'site works again'],
  'upstream.down': ['upstream down', 'upstream back'],
  'check.failing': ['check failing', 'check passes again'],
  'sign-in.locked': ['sign-ins refused for a while', 'sign-ins accepted again'],
  'disk.full': ['disk almost full', 'disk has space again'],
  'backup.failed': ['no backup was made', 'backups are made again'],
  'visitor.refused': [
    'refuses somebody who used it before',
    'refusals of earlier visitors are no longer reported',
  ],
  'sign-in.new-address': ['sign-in from a new address', ''],
  'account.changed': ['account changed', ''],
};

/** Of the body. ntfy takes 4,096 bytes, which these can be at most, and makes a file of what is longer. */
const LONGEST = 1_000;
/** Of a digest, if they are short. */
const MOST_LINES = 20;

/** @param timeZone in which the times are */
export function textOf({ messages }: Delivery, timeZone: string): Text {
  const [first, ...more] = messages;
  const text = more.length === 0 ? textOfOne(first, timeZone) : digestOf(messages, timeZone);
  return { ...text, title: oneLine(text.title), body: clip(text.body) };
}

function textOfOne(one: Message, timeZone: string): Text {
  const { state, message, level } = one;
  const title = titleOf(one);
  const at = timeOf(one.at, timeZone);
  if (state === 'test') return { title, body: message, mood: 'test' };
  if (state === 'over') {
    const why = message === DROPPED ? message : `It was: ${message}`;
    return { title, body: `${overSince(one, at)}\n\n${why}`, mood: 'over' };
  }
  if (one.event && ONE_OFF.includes(one.event)) {
    return { title, body: `${message}\n\nAt ${at}.`, mood: level };
  }
  const since =
    state === 'flapping'
      ? `Flapping, last at ${at}. The next message follows when nothing has changed for ten minutes.`
      : `Since ${timeOf(one.beganAt ?? one.at, timeZone)}.`;
  return { title, body: `${message}\n\n${since}`, mood: level };
}

function overSince({ at, beganAt }: Message, time: string): string {
  const lasted = beganAt ? `, after ${durationOf(at.getTime() - beganAt.getTime())}` : '';
  return `Resolved at ${time}${lasted}.`;
}

function titleOf(one: Message): string {
  const { event, about } = one;
  if (event === null) return 'Test message from signalbox';
  const phrase = phraseOf(one, PHRASES[event]);
  return about === '' ? phrase.charAt(0).toUpperCase() + phrase.slice(1) : `${about}: ${phrase}`;
}

function phraseOf({ state, message }: Message, [began, over]: readonly [string, string]): string {
  if (state === 'over') return message === DROPPED ? 'no longer watched' : over;
  return state === 'flapping' ? `${began} (flapping)` : began;
}

function digestOf(messages: readonly Message[], timeZone: string): Text {
  const over = messages.filter(({ state }) => state === 'over').length;
  const begun = messages.length - over;
  return {
    title: [
      ...(begun > 0 ? [`${begun} ${begun === 1 ? 'problem' : 'problems'} began`] : []),
      ...(over > 0 ? [`${over}${begun > 0 ? '' : ' problems'} resolved`] : []),
    ].join(', '),
    body: listOf(messages.map((one) => `${timeOf(one.at, timeZone)} – ${oneLine(titleOf(one))}`)),
    mood: moodOf(messages),
  };
}

/** As many lines as there is room for, and how many more there are. */
function listOf(lines: readonly string[]): string {
  const shown = lines.slice(0, MOST_LINES);
  const list = () => {
    const more = lines.length - shown.length;
    return [...shown, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n');
  };
  while (shown.length > 1 && list().length > LONGEST) shown.pop();
  return list();
}

/** The worst of what began and is not over as well. */
function moodOf(messages: readonly Message[]): Text['mood'] {
  const open = new Map<string, Message['level']>();
  for (const { state, event, about, level } of messages) {
    const key = `${event} ${about}`;
    if (state === 'over') open.delete(key);
    else open.set(key, level);
  }
  const levels = [...open.values()];
  return levels.length === 0 ? 'over' : levels.includes('bad') ? 'bad' : 'warn';
}

const timeOf = (at: Date, timeZone: string): string =>
  new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
    timeZoneName: 'short',
  }).format(at);

/** `3 hours, 1 minute`: the two largest units. */
function durationOf(milliseconds: number): string {
  const seconds = Math.max(Math.round(milliseconds / 1000), 1);
  const units = Object.entries({
    days: Math.floor(seconds / 86_400),
    hours: Math.floor(seconds / 3600) % 24,
    minutes: Math.floor(seconds / 60) % 60,
    seconds: seconds % 60,
  });
  const largest = units.filter(([, count]) => count > 0).slice(0, 2);
  return new Intl.DurationFormat('en', { style: 'long' }).format(Object.fromEntries(largest));
}

const oneLine = (text: string): string =>
  text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .slice(0, 200)
    .toWellFormed();

/** Well-formed, for Telegram and others refuse half of an emoji. */
const clip = (text: string): string =>
  (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text).toWellFormed();
