/** Every recipe, by its id. */
import { allow } from './policies/allow.ts';
import { authelia } from './policies/authelia.ts';
import { authentik } from './policies/authentik.ts';
import { basicAuth } from './policies/basic-auth.ts';
import { block } from './policies/block.ts';
import { clientCertificate } from './policies/client-certificate.ts';
import { forwardAuth } from './policies/forward-auth.ts';
import { headers } from './policies/headers.ts';
import { maintenance } from './policies/maintenance.ts';
import { robots } from './policies/robots.ts';
import type { Recipe } from './recipe.ts';
import { balance } from './sites/balance.ts';
import { errorPage } from './sites/error-page.ts';
import { httpsUpstream } from './sites/https-upstream.ts';
import { paths } from './sites/paths.ts';
import { proxy } from './sites/proxy.ts';
import { redirect } from './sites/redirect.ts';
import { staticFiles } from './sites/static.ts';
import { unknownHosts } from './sites/unknown-hosts.ts';

/** In the order in which people see them. */
export const RECIPES: readonly Recipe[] = [
  basicAuth,
  allow,
  block,
  authelia,
  authentik,
  forwardAuth,
  clientCertificate,
  headers,
  maintenance,
  robots,
  proxy,
  redirect,
  httpsUpstream,
  paths,
  balance,
  staticFiles,
  errorPage,
  unknownHosts,
];

const byId = new Map(RECIPES.map((recipe) => [recipe.id, recipe]));

export const recipeOf = (id: string): Recipe | undefined => byId.get(id);
