import { describe, expect, test } from 'bun:test';
import { bootConfig, patchConfig } from '../../../../agent/caddy/config/patch.ts';
import { SECRET_NAME } from '../../../../agent/caddy/identity.ts';
import type { JsonObject } from '../../../../src/shared/json.ts';

const stamp = {
  hub: null,
  storage: null,
  digest: 'd'.repeat(64),
  admin: { listen: 'unix//run/admin.sock', origins: ['secret.invalid', 'theirs'] },
  accessLog: { file: '/logs/access.log', rollMb: 7, keep: 3, days: null, isKept: true },
};

/** How the default logger writes, which may log admin requests whatever it excludes. */
const redacted = (wrap: JsonObject) => ({
  format: 'filter',
  wrap,
  fields: {
    host: { filter: 'regexp', regexp: SECRET_NAME, value: 'REDACTED' },
    error: { filter: 'regexp', regexp: SECRET_NAME, value: 'REDACTED' },
    headers: { filter: 'delete' },
    origins: { filter: 'delete' },
  },
});

describe('the configuration that the agent loads', () => {
  test('has a storage only if the agent’s settings name one', () => {
    expect(patchConfig({}, stamp)).not.toHaveProperty('storage');
    const shared = patchConfig({ storage: { module: 'other' } }, { ...stamp, storage: '/srv/tls' });
    expect(shared.storage).toEqual({ module: 'file_system', root: '/srv/tls' });
  });

  test('has the agent’s admin endpoint and nothing of the requested one', () => {
    const asked = {
      admin: {
        disabled: true,
        listen: ':1',
        origins: ['x'],
        enforce_origin: true,
        remote: {},
        identity: {},
        config: { load: { module: 'http', url: 'http://evil.example' } },
      },
    };
    const admin = {
      listen: 'unix//run/admin.sock',
      enforce_origin: true,
      origins: ['secret.invalid', 'theirs'],
      config: { persist: false },
    };
    expect(patchConfig(asked, stamp).admin).toEqual(admin);
    expect(bootConfig(stamp.admin).admin).toEqual(admin);
  });

  test('has a stamped access logger and an error logger besides its own loggers', () => {
    const logs = {
      default: { level: 'WARN', exclude: ['http.log.access.log0', 'tls'] },
      log0: { include: ['http.log.access.log0'] },
    };
    const file = { output: 'file', filename: '/logs/signalbox-errors.log' };
    const writer = { ...file, roll_size_mb: 10, roll_keep: 1 };
    expect(patchConfig({ logging: { logs } }, stamp).logging).toEqual({
      logs: {
        default: {
          level: 'WARN',
          exclude: ['tls', 'admin', 'http.log.access'],
          encoder: redacted({ format: 'json' }),
        },
        log0: { include: ['http.log.access.log0'] },
        signalbox_access: {
          '@id': `rev-${stamp.digest}`,
          writer: {
            output: 'file',
            filename: '/logs/access.log',
            roll_size_mb: 7,
            roll_keep: 3,
            roll_keep_days: 36_500,
            roll_gzip: false,
          },
          encoder: { format: 'json' },
          include: ['http.log.access'],
        },
        signalbox_errors: {
          writer,
          encoder: { format: 'json' },
          include: [
            'http.log.error',
            'http.handlers.reverse_proxy.health_checker',
            'tls.obtain',
            'tls.renew',
            'tls.issuance',
          ],
        },
        signalbox_tls: {
          writer,
          encoder: { format: 'json' },
          level: 'ERROR',
          include: ['tls'],
          exclude: ['tls.obtain', 'tls.renew', 'tls.issuance'],
        },
      },
    });
  });

  test('keeps a default logger that says what it includes', () => {
    const patched = patchConfig({ logging: { logs: { default: { include: ['tls'] } } } }, stamp);
    expect(patched.logging).toMatchObject({ logs: { default: { include: ['tls'] } } });
    expect(patched).not.toHaveProperty('logging.logs.default.exclude');
  });

  test('has no logger that shows the secret of the admin endpoint', () => {
    const logs = {
      default: { include: ['admin.api'], encoder: { format: 'console' } },
      only: { include: ['admin', 'admin.api'] },
      some: { include: ['admin.api', 'tls', 'administration'] },
      all: { include: [], exclude: ['tls'] },
    };
    const patched = patchConfig({ logging: { logs } }, stamp).logging as { logs: object };
    expect(patched.logs).toMatchObject({
      default: { exclude: ['admin', 'http.log.access'], encoder: redacted({ format: 'console' }) },
      some: { include: ['tls', 'administration'] },
      all: { exclude: ['tls', 'admin'] },
    });
    expect(Object.keys(patched.logs)).not.toContain('only');
    expect(JSON.stringify(bootConfig(stamp.admin).logging)).toContain('"exclude":["admin"]');
  });

  test('logs every server and host, and keeps the rest of a server', () => {
    const servers = {
      srv0: { listen: [':80'], routes: [] },
      srv1: {
        listen: [':81'],
        logs: { skip_hosts: ['a'], skip_unmapped_hosts: true, logger_names: { b: 'log0' } },
      },
    };
    const patched = patchConfig({ apps: { tls: {}, http: { http_port: 80, servers } } }, stamp);
    expect(patched.apps).toEqual({
      tls: {},
      http: {
        http_port: 80,
        servers: {
          srv0: { listen: [':80'], routes: [], logs: {} },
          srv1: { listen: [':81'], logs: { logger_names: { b: 'log0' } } },
        },
      },
    });
  });

  test('is a new object', () => {
    const given = { apps: { http: { servers: { a: { logs: { skip_hosts: ['x'] } } } } } };
    const before = structuredClone(given);
    patchConfig(given, stamp);
    expect(given).toEqual(before);
  });
});
