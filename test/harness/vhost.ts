/** Sites and policies as the hub stores them. */

import type { Vhost } from '../../src/hub/model/vhost.ts';
import type { Policy } from '../../src/hub/recipes/policy.ts';

/** A plain site without anything that is optional. @param change what is different about it */
export const storedVhost = (change: Partial<Vhost> = {}): Vhost => ({
  id: 1,
  position: change.id ?? 1,
  domain: 'http://a.example',
  config: '',
  upstream: '',
  enabled: true,
  policies: [],
  except: [],
  tags: [],
  agents: [],
  check: null,
  source: null,
  applied: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  ...change,
});

/** A policy for some networks. @param change what is different about it */
export const storedPolicy = (change: Partial<Policy> = {}): Policy => ({
  id: 1,
  name: 'lan',
  recipe: 'allow',
  values: { networks: ['private_ranges'] },
  everywhere: false,
  source: null,
  applied: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  ...change,
});
