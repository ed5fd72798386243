import { expect, test } from 'bun:test';
import { verdictOf } from '../../../src/hub/api/verdict.ts';
import { Failure } from '../../../src/shared/failure.ts';

const vhost = { id: 2, domain: 'http://a.example' };

test('a verdict names a policy and its field only if they are at fault', () => {
  const refusal = (at: Failure['at']) =>
    JSON.parse(JSON.stringify(verdictOf(new Failure('PROXY_REJECTED', 'No.', { at }), '', '')));
  expect(refusal({ line: 3 })).not.toHaveProperty('policy');
  const policy = { name: 'door', field: 'address' };
  const verdict = refusal({ vhost, policy });
  expect(verdict).toMatchObject({ valid: false, policy, line: null });
  expect(verdict.detail).toStartWith('in http://a.example, policy door, field address: ');
  expect(verdictOf(null, '', '').policy).toBeUndefined();
});
