/** Sites with several names: the form shows names and body, the hub stores a whole block. */
import { describe, expect, test } from 'bun:test';
import { siteForm } from '../../src/hub/caddyfile/site.ts';
import { closedBlock, linesAbove, openedBlock } from '../../src/web/sites/form/block.ts';
import {
  changesFrom,
  copyOf,
  draftOf,
  mergedDraft,
  sentOf,
} from '../../src/web/sites/form/draft.ts';
import { site } from './samples.ts';

const BLOCK = 'a.lan, b.lan {\n\treverse_proxy {upstream}\n}';
const stored = (config = BLOCK, domain = 'a.lan') => site({ domain, config });
const draft = (config?: string, domain?: string) => draftOf(stored(config, domain));

describe('a block', () => {
  test.each([
    // Bodies, also of sites that are named like a directive.
    ['a.lan', 'reverse_proxy {upstream}'],
    ['handle', 'handle {\n\trespond hi\n}'],
    ['a.lan', 'handle /a.lan {\n\trespond hi\n}'],
    // Of another site, or with something that only a person should change.
    ['a.lan', 'b.lan, a.lan {\n\trespond hi\n}'],
    ['a.lan', '"a.lan" {\n\trespond hi\n}'],
    ['a.lan', 'a.lan, # mine\nb.lan {\n\trespond hi\n}'],
    ['a.lan', 'a.lan {# mine\n\trespond hi\n}'],
    ['a.lan', 'a.lan\nb.lan {\n\trespond hi\n}'],
    ['a.lan', 'a.lan {\r\n\trespond hi\r\n}'],
    ['a.lan', 'a.lan {\n\trespond hi\n} # the end'],
    ['a.lan', 'a.lan b.lan,c.lan {\n\trespond hi\n}'],
    ['a.lan', 'a.lan {\n}'],
    ['a.lan', 'a.lan {'],
    ['a.lan', ''],
  ])('of %s that is none, or an unusual one, stays as it is: %j', (domain, config) => {
    expect(openedBlock({ domain, config })).toBeNull();
    expect(sentOf(draft(config, domain)).config).toBe(config);
    expect(linesAbove(draft(config, domain))).toBe(0);
  });

  test.each([
    ['a.lan', [], 1, 'a.lan {\n\trespond hi\n}'],
    [':8080', [], 1, ':8080 {\n\trespond hi\n}'],
    ['a.lan', ['b.lan'], 1, BLOCK],
    [
      'a.lan',
      ['b.lan:81', '{$C:c.lan}'],
      1,
      'a.lan b.lan:81, {$C:c.lan} {\n  respond hi\n\n  header x y\n}',
    ],
    ['a.lan', ['b.lan'], 4, '# mine\n\na.lan,\n\tb.lan {\n\trespond hi\n}'],
    ['a.lan', ['b.lan'], 1, 'a.lan, b.lan {\n\trespond `one\ntwo`\n}'],
    ['a.lan', ['b.lan'], 1, 'a.lan, b.lan {\n\thandle {\n\t\trespond hi\n\t}\n}'],
    ['a.lan', ['b.lan'], 1, 'a.lan, b.lan {\nrespond hi\n}'],
  ])('of %s and %j, below %d lines, comes back as it was: %j', (domain, names, lines, config) => {
    const shown = draft(config, domain);
    expect(shown.names).toEqual(names);
    expect(shown.config).not.toContain('b.lan');
    expect(linesAbove(shown)).toBe(lines);
    expect(sentOf(shown).config).toBe(config);
    expect(changesFrom(shown, shown)).toEqual({});
    expect(siteForm(domain, config)).toMatchObject({ addresses: [domain, ...names] });
  });

  test('gets another head with other names, and its comments stay', () => {
    const shown = draft(`# mine\n${BLOCK}`);
    expect(shown.config).toBe('reverse_proxy {upstream}');
    const body = '\n\treverse_proxy {upstream}\n}';
    expect(changesFrom(shown, { ...shown, domain: 'c.lan' })).toEqual({
      domain: 'c.lan',
      config: `# mine\nc.lan, b.lan {${body}`,
    });
    expect(changesFrom(shown, { ...shown, names: [] })).toEqual({
      config: `# mine\na.lan {${body}`,
    });
    expect(changesFrom(shown, { ...shown, tags: ['x'] })).toEqual({ tags: ['x'] });
  });

  test('comes with a second name and goes with it, unless only a block can have the first', () => {
    const body = draft('respond hi\n\nheader x y\n');
    const two = { ...body, names: ['b.lan'] };
    expect(sentOf(two).config).toBe('a.lan, b.lan {\n\trespond hi\n\n\theader x y\n}');
    const again = draft(sentOf(two).config);
    expect(sentOf({ ...again, names: [] }).config).toBe('respond hi\n\nheader x y');
    expect(sentOf({ ...again, domain: ':80', names: [] }).config).toStartWith(':80 {\n');
    // A line that may go on is not indented.
    expect(closedBlock({ ...two, config: 'respond "one\ntwo"' })).toBe(
      'a.lan, b.lan {\nrespond "one\ntwo"\n}',
    );
  });

  test('of a site that is copied, or changed by somebody else, gives away only its body', () => {
    expect(copyOf(stored())).toMatchObject({
      domain: '',
      names: [],
      frame: null,
      config: 'reverse_proxy {upstream}',
    });
    const base = draft();
    const mine = { ...base, names: ['c.lan'] };
    const theirs = draft('a.lan, b.lan {\n\trespond theirs\n}');
    expect(sentOf(mergedDraft(base, mine, theirs)).config).toBe(
      'a.lan, c.lan {\n\trespond theirs\n}',
    );
  });
});
