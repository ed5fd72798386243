/** The part of a site's routes that strangers come to: what is behind a refusal of every stranger does not count. Pure. */
import { field, type Json, type JsonObject, list, object } from '../../../src/shared/json.ts';
import { ADDRESS_MATCHERS, networksIn } from '../../sites/networks.ts';
import { isSignIn } from '../replay/config/routes.ts';
import { mayHoldStrangers } from './strangers.ts';

/** @param routes in the order of Caddy, as adapted */
export const reachedBy = (routes: readonly Json[]): JsonObject[] => walk(routes).reached;

/** `isEnd`: whether no stranger gets past them. */
type Walked = { reached: JsonObject[]; isEnd: boolean };

function walk(routes: readonly Json[]): Walked {
  const reached: JsonObject[] = [];
  for (const route of routes.map(object)) {
    const { reached: handle, isEnd } = walkHandlers(list(route.handle));
    reached.push({ ...route, handle });
    if (isEnd && isForStrangers(route)) return { reached, isEnd };
  }
  return { reached, isEnd: false };
}

function walkHandlers(handlers: readonly Json[]): Walked {
  const reached: JsonObject[] = [];
  for (const handler of handlers.map(object)) {
    const inner = handler.handler === 'subroute' ? walk(list(handler.routes)) : null;
    reached.push(inner ? { ...handler, routes: inner.reached } : handler);
    if (inner?.isEnd ?? isLast(handler)) return { reached, isEnd: true };
  }
  return { reached, isEnd: false };
}

/** Whether a route is for every stranger: for anyone, or for whoever is not in some networks. */
const isForStrangers = ({ match }: JsonObject): boolean =>
  match === undefined ||
  list(match)
    .map(object)
    .some((set) => Object.keys(set).join() === 'not' && list(set.not).every(isOfNetworks));

/** Whether a set of matchers goes by addresses alone, and no stranger has, or may claim, one of them. */
const isOfNetworks = (set: Json): boolean =>
  Object.entries(object(set)).every(
    ([name, value]) => ADDRESS_MATCHERS.includes(name) && field(value, 'forwarded') !== true,
  ) && !networksIn(set).some(mayHoldStrangers);

/** Whether a handler leaves nothing to the next one for somebody who has shown nothing. */
function isLast(handler: JsonObject): boolean {
  switch (handler.handler) {
    case 'static_response':
    case 'error':
      return true;
    case 'authentication':
      return Object.keys(object(handler.providers)).join() === 'http_basic';
    case 'file_server':
      return handler.pass_thru !== true;
    case 'reverse_proxy':
      return list(handler.handle_response).every((one) => isSignIn(handler) && isOfSuccess(one));
    default:
      return false;
  }
}

const isOfSuccess = (response: Json): boolean =>
  list(field(response, 'match', 'status_code')).join() === '2';
