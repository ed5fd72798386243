/** The notes of an import in groups, and what is read from their texts. */
import { describe, expect, test } from 'bun:test';
import {
  dnsNamesIn,
  groupsOf,
  uploadedIn,
} from '../../../../src/features/import-npm/web/groups.ts';

describe('the notes of an import', () => {
  const note = (domain: string | null, level: 'info' | 'warning' | 'error', text: string) => ({
    domain,
    level,
    text,
  });

  test('are grouped by level, the gravest first, and each text comes once with its domains', () => {
    expect(groupsOf([])).toEqual([]);
    const mixed = [
      note('a.example', 'info', 'same'),
      note('b.example', 'error', 'odd'),
      note(null, 'info', 'a stream'),
      note('c.example', 'info', 'same'),
      note('c.example', 'info', 'same'),
      note('a.example', 'warning', 'same'),
    ];
    expect(groupsOf(mixed)).toEqual([
      {
        title: 'Off until you decide',
        isFolded: false,
        texts: [{ text: 'odd', domains: ['b.example'] }],
      },
      {
        title: 'Different from before',
        isFolded: false,
        texts: [{ text: 'same', domains: ['a.example'] }],
      },
      {
        title: 'Good to know',
        isFolded: true,
        texts: [
          { text: 'same', domains: ['a.example', 'c.example'] },
          { text: 'a stream', domains: [] },
        ],
      },
    ]);
  });

  test('name the certificates to get by DNS, and the sites whose certificates were uploaded', () => {
    const order = 'Order a certificate by DNS for *.home.example, home.example on the page X. No.';
    expect(dnsNamesIn(order)).toEqual(['*.home.example', 'home.example']);
    expect(dnsNamesIn('Not by DNS.')).toEqual([]);
    const uploaded = 'Its certificate was uploaded to NPM and stays there.';
    const notes = ['a', 'b', 'b'].map((domain) => note(domain, 'warning', uploaded));
    expect(uploadedIn([...notes, note('c', 'warning', order)])).toBe(2);
  });
});
