/** Whether a proxy has what a recipe needs. Pure. */
import type { Recipe } from './recipe.ts';

/** What is known of the proxy; null if it is not. */
type KnownProxy = { version: string | null; modules: readonly string[] | null };

/** Why a proxy cannot run the text of a recipe, as a sentence; null if nothing is known against it. */
export function lackOf({ caddy, modules = [] }: Recipe['needs'], proxy: KnownProxy): string | null {
  const { version } = proxy;
  if (caddy !== undefined && version !== null && Bun.semver.order(version, caddy) < 0) {
    return `This needs Caddy ${caddy} or newer; yours is ${version}.`;
  }
  const missing = modules.find((name) => proxy.modules?.includes(name) === false);
  return missing === undefined ? null : `Your Caddy was built without the module ${missing}.`;
}
