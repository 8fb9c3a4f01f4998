import { computed, type ReadonlySignal } from '@preact/signals-core';
import { decodePart, encodePart, hashOf, type Names, narrowOf } from './hash.js';
import type { Narrow } from './narrow.js';
import type { Address } from './ports.js';

/** Views without messages. */
const PLAIN = ['inbox', 'recent', 'drafts', 'scheduled', 'about'] as const;
/** Views with sections: `#settings/display`, `#streams/12/members`, … */
const SECTIONED = ['settings', 'streams', 'organization', 'sign-in', 'users', 'groups'] as const;

export type Route =
  | { readonly view: 'narrow'; readonly narrow: Narrow; readonly near?: number }
  | { readonly view: (typeof PLAIN)[number] }
  /** Decoded parts of the address behind the view. */
  | { readonly view: (typeof SECTIONED)[number]; readonly parts: readonly string[] }
  | { readonly view: 'home' }
  | { readonly view: 'unknown'; readonly hash: string };

const isOneOf = <T extends string>(list: readonly T[], text: string): text is T => list.some((one) => one === text);

export function routeOf(hash: string, names: Names): Route {
  const narrow = narrowOf(hash, names);
  if (narrow) return { view: 'narrow', ...narrow };
  const [name = '', ...parts] = hash.replace(/^#/, '').split('/');
  if (name === '') return { view: 'home' };
  if (isOneOf(PLAIN, name)) return { view: name };
  if (isOneOf(SECTIONED, name)) return { view: name, parts: parts.map(decodePart) };
  return { view: 'unknown', hash };
}

export function hashOfRoute(route: Route, names: Names): string {
  if (route.view === 'home') return '#';
  if (route.view === 'unknown') return route.hash;
  if (route.view === 'narrow') return hashOf(route.narrow, names, route.near);
  return 'parts' in route ? `#${[route.view, ...route.parts.map(encodePart)].join('/')}` : `#${route.view}`;
}

/**
 * Where the user is: `router.route.value`. `router.go(route)` navigates; `router.hash(route)` is for links, so that
 * they can be copied and opened in another tab.
 */
export class Router {
  readonly route: ReadonlySignal<Route>;

  constructor(
    private readonly address: Address,
    private readonly names: Names,
  ) {
    this.route = computed(() => routeOf(address.hash.value, names));
  }

  hash(route: Route): string {
    return hashOfRoute(route, this.names);
  }

  /** @param replace for corrections of the address, which "back" should not return to */
  go(route: Route, replace = false): void {
    this.address.go(this.hash(route), replace);
  }
}
