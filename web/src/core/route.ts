import { computed, type ReadonlySignal } from '@preact/signals-core';
import { type AddressNameLookup, decodeHashPart, encodeHashPart, formatNarrowHash, parseNarrowHash } from './hash.js';
import type { Narrow } from './narrow.js';
import type { PageAddress } from './ports.js';

/** Views without messages. */
const VIEWS_WITHOUT_SECTIONS = ['inbox', 'recent', 'drafts', 'scheduled'] as const;
/** Views with sections: `#settings/display`, `#streams/12/members`, … */
const SECTIONED_VIEWS = ['settings', 'streams', 'organization', 'sign-in', 'users', 'groups'] as const;

export type Route =
  | { readonly view: 'narrow'; readonly narrow: Narrow; readonly near?: number }
  | { readonly view: (typeof VIEWS_WITHOUT_SECTIONS)[number] }
  /** Decoded parts of the address behind the view. */
  | { readonly view: (typeof SECTIONED_VIEWS)[number]; readonly parts: readonly string[] }
  | { readonly view: 'home' }
  | { readonly view: 'unknown'; readonly hash: string };

const isOneOf = <T extends string>(list: readonly T[], text: string): text is T => list.some((one) => one === text);

export function parseRoute(hash: string, names: AddressNameLookup): Route {
  const narrow = parseNarrowHash(hash, names);
  if (narrow) return { view: 'narrow', ...narrow };
  // Links of newer clients have `channels` in place of `streams`.
  const [name = '', ...parts] = hash
    .replace(/^#/, '')
    .replace(/^channels\b/, 'streams')
    .split('/');
  if (name === '') return { view: 'home' };
  if (isOneOf(VIEWS_WITHOUT_SECTIONS, name)) return { view: name };
  if (isOneOf(SECTIONED_VIEWS, name)) return { view: name, parts: parts.map(decodeHashPart) };
  return { view: 'unknown', hash };
}

export function formatRouteHash(route: Route, names: AddressNameLookup): string {
  if (route.view === 'home') return '#';
  if (route.view === 'unknown') return route.hash;
  if (route.view === 'narrow') return formatNarrowHash(route.narrow, names, route.near);
  return 'parts' in route ? `#${[route.view, ...route.parts.map(encodeHashPart)].join('/')}` : `#${route.view}`;
}

/**
 * Router of the web client. `router.route.value` is the view that the user sees. `router.navigate(route)` opens another
 * view. `router.formatHash(route)` is the address for a link, which users can copy or open in another tab.
 */
export class Router {
  readonly route: ReadonlySignal<Route>;
  /** True while the client changes the address by itself: what the reader does goes on. */
  isFollowing = false;

  constructor(
    private readonly address: PageAddress,
    private readonly names: AddressNameLookup,
  ) {
    this.route = computed(() => parseRoute(address.hash.value, names));
  }

  formatHash(route: Route): string {
    return formatRouteHash(route, this.names);
  }

  /**
   * @param replace for corrections of the address, which "back" should not return to
   * @param follows whether the reader has not asked for the other address
   */
  navigate(route: Route, replace = false, follows = replace): void {
    this.isFollowing = follows;
    this.address.navigate(this.formatHash(route), replace);
    this.isFollowing = false;
  }
}
