/** The forms of issues: GitHub takes them, and they ask for commands that exist. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { parseWords } from '../../src/program/cli/command.ts';
import { ROOT } from '../harness/build.ts';
import { COMMANDS } from '../harness/commands.ts';

type Field = { type: string; id?: string; attributes: Record<string, unknown> };
type Form = { name: string; description: string; labels: string[]; body: Field[] };

const FOLDER = join(ROOT, '.github/ISSUE_TEMPLATE');
const forms = await Promise.all(
  ['bug', 'feature'].map(async (name) => {
    const text = await Bun.file(join(FOLDER, `${name}.yml`)).text();
    return [name, Bun.YAML.parse(text) as Form] as const;
  }),
);

describe.each(forms)('the form %s', (_, { name, description, labels, body }) => {
  test('has a name, a description, a label, and only kinds of fields that GitHub knows', () => {
    expect([name, description].every((text) => text.length > 2)).toBe(true);
    expect(labels.length).toBe(1);
    for (const { type, attributes } of body) {
      expect(['markdown', 'textarea', 'input', 'dropdown']).toContain(type);
      const [needed = ''] = { markdown: ['value'], dropdown: ['options'] }[type] ?? ['label'];
      expect(attributes).toHaveProperty(needed);
    }
  });

  test('names each field once', () => {
    const ids = body.filter(({ type }) => type !== 'markdown').map(({ id }) => id ?? '');
    expect(ids.every((id) => /^[a-z]+$/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test('the form for bugs asks for what a command prints', () => {
  const labels = forms[0]?.[1].body.map(({ attributes }) => String(attributes.label)) ?? [];
  const [status] = labels.filter((label) => label.startsWith('signalbox status'));
  expect(parseWords((status ?? '').split(' ').slice(1), COMMANDS).ask).toBe('run');
  expect(labels).toContain('signalbox --version');
});
