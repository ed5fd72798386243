/** What is pasted into the fields of a site is made right, unless that would change what it means. */
import { describe, expect, test } from 'bun:test';
import { isUpstream, normalizeDomain } from '../../src/hub/caddyfile/address.ts';
import {
  correctName,
  correctNames,
  correctUpstream,
  namesIn,
} from '../../src/web/sites/form/corrections.ts';
import { words } from '../harness/words.ts';

describe('an upstream', () => {
  test.each([
    // Several, a placeholder, a password, a socket, or no host at all.
    ...words(`
      {env.NAS}:80 {upstream} http://ada:secret@nas.lan/ unix//run/x.sock ftp://nas.lan/
      ws://nas.lan //nas / :8096 http:// http:///path nas.lan:0 nas.lan:65536 nas.lan:x 10.0.0
      10.0.0.256/ * -nas.lan/ nas..lan nas.lan:
    `),
    '10.0.0.5:80, 10.0.0.6:80',
    '10.0.0.5:80 10.0.0.6:80',
    '',
    ' ',
    'a b',
    // Caddy refuses HTTP on the port of HTTPS.
    'http://nas.lan:443/',
    'https://nas.lan:80/',
    // What stands at the end is a port, or it is not.
    'fd00::1:8096',
    '[fd00::1',
    '[nas.lan]:80',
  ])('%j stays as it is, for the hub to refuse', (text) => {
    expect(correctUpstream(text)).toBeNull();
  });

  test.each(
    words(`
      10.0.0.5:8096 nas.lan:80 https://nas.lan:8443 http://nas.lan:8096 h2c://nas [fd00::1]:8096
    `),
  )('%s is right', (text) => {
    expect(isUpstream(text)).toBe(true);
    expect(correctUpstream(text)).toBeNull();
  });

  test.each([
    ['http://10.0.0.5:8096/', '10.0.0.5:8096', 'the path / was dropped'],
    ['10.0.0.5:8096/web/?a#b', '10.0.0.5:8096', 'the path /web/?a#b was dropped'],
    ['http://nas.lan', 'nas.lan:80', '80 is the port of http://'],
    [
      'https://nas.lan/',
      'https://nas.lan:443',
      'the path / was dropped; 443 is the port of https://',
    ],
    ['HTTPS://NAS.lan.:8443', 'https://nas.lan:8443', ''],
    ['nas', 'nas:80', 'no port was given, so it is 80, that of plain HTTP'],
    ['fd00::1', '[fd00::1]:80', 'no port was given, so it is 80, that of plain HTTP'],
    ['http://[FD00:0::1]:8096/', '[fd00::1]:8096', 'the path / was dropped'],
    ['h2c://nas.lan:50051/', 'h2c://nas.lan:50051', 'the path / was dropped'],
    ['http://küche.lan:80', 'xn--kche-0ra.lan:80', ''],
    [' nas.lan:80\n', 'nas.lan:80', ''],
  ])('%s becomes %s', (text, kept, why) => {
    expect(correctUpstream(text)).toEqual({ kept, why });
    expect(isUpstream(kept)).toBe(true);
    expect(correctUpstream(kept)).toBeNull();
  });
});

describe('a name', () => {
  test.each([
    ...words(`
      {$DOMAIN} {env.X}.lan ftp://a.lan/ http://ada:x@a.lan/ :8080 a..lan http://a.lan:443/
      https://a.lan:80/ a.lan:99999 10.0.0.256 a.*.lan (snippet) @matcher -a.lan fd00::8080
    `),
    '',
    'a b',
  ])('%j stays as it is, for the hub to refuse', (text) => {
    expect(correctName(text)).toBeNull();
  });

  test.each([
    ['https://jellyfin.example.org/web/', 'jellyfin.example.org', 'the path /web/ was dropped'],
    ['http://app.localhost/', 'http://app.localhost', 'the path / was dropped'],
    ['https://a.lan:8443/#x', 'a.lan:8443', 'the path /#x was dropped'],
    ['https://A.lan', 'a.lan', ''],
    ['App.Example.ORG.', 'app.example.org', ''],
    ['http://a.lan:080', 'http://a.lan', ''],
    ['a.lan:443', 'a.lan', ''],
    ['*.Example.org', '*.example.org', ''],
    ['münchen.example', 'xn--mnchen-3ya.example', ''],
    ['fd00::1', '[fd00::1]', ''],
    [' a.lan', 'a.lan', ''],
  ])('%s becomes %s, which is what the hub stores', (text, kept, why) => {
    expect(correctName(text)).toEqual({ kept, why });
    expect(normalizeDomain(kept)).toBe(kept);
    expect(correctName(kept)).toBeNull();
    const stored = why === '' ? normalizeDomain(text.trim()) : kept;
    expect(stored?.replace('https://', '')).toBe(kept);
  });

  test('stands before others', () => {
    for (const text of ['a.lan', 'not a domain', 'my a.lan', '']) {
      expect(correctNames(text)).toBeNull();
    }
    expect(correctNames('nas, b')?.others).toEqual(['b']);
    expect(correctNames('a.lan, a.lan')).toEqual({ kept: 'a.lan', why: '', others: [] });
    expect(correctNames('https://a.lan/x {$B}\nB.lan')).toEqual({
      kept: 'a.lan',
      why: 'the path /x was dropped; {$B}, b.lan are other names of the site',
      others: ['{$B}', 'b.lan'],
    });

    expect(namesIn(' a.lan, b.lan\nc.lan ,,d.lan\t')).toEqual(['a.lan', 'b.lan', 'c.lan', 'd.lan']);
    expect(namesIn(' , ')).toEqual([]);
  });
});
