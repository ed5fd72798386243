/** What messages to chat services have in common. */
import type { Text } from '../message.ts';

const MARKS: Readonly<Record<Text['mood'], string>> = {
  bad: '🚨',
  warn: '⚠️',
  over: '✅',
  test: '👋',
};

/** The title, after a sign that can be seen in a long list. */
export const markedTitle = ({ title, mood }: Text): string => `${MARKS[mood]} ${title}`;
