/** Checks of POST /users/me/subscriptions, in the order of streams.md. */

import { foldNameAsShown, mapInSlices } from '#base';
import { renderContextFreeMarkdownOrEmpty } from '#domain/markdown';
import { isAllowedByPolicy, isOwner, SYSTEM_GROUP_IDS } from '#domain/people';
import {
  areWebPublicStreamsEnabled,
  checkNewStreamNameIsShown,
  toCheckedStreamName,
  toOneLineDescription,
} from '#domain/streams';
import type { RealmSettings } from '#model';
import { apiError, checkParameterItemCount } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import { type ActorParts, findUserRecord, USER_GROUP_PART_PREFIX } from '../../state.js';
import type { RealmMemoryState } from '../../volatile.js';

/**
 * Parses the days of retention into the stored form: -1 = unlimited, null = the organization's default. @throws
 * ApiError
 */
export function parseStreamRetentionDays(value: string | number): number | null {
  if (value === 'realm_default') return null;
  if (value === 'unlimited') return -1;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  throw apiError('REQUEST_VARIABLE_INVALID', { var_name: 'message_retention_days', bad_value: value });
}

/**
 * Checks the users to subscribe: any principal other than the caller's own id needs the right to invite others to
 * streams. @throws ApiError
 */
export function getPrincipalsToSubscribeOrThrow(
  principals: readonly (string | number)[],
  acting: DirectoryUser,
  settings: RealmSettings,
  now: number,
  find: (principal: string | number) => DirectoryUser | undefined,
): DirectoryUser[] {
  if (principals.every((p) => p === acting.id)) return [acting];
  if (!isAllowedByPolicy(settings.invite_to_stream_policy, acting, settings, now)) {
    throw apiError('INSUFFICIENT_PERMISSION');
  }
  return getActivePrincipalsOrThrow(principals, find);
}

/** Maximum number of streams in one request to subscribe. */
export const MAX_STREAMS_PER_SUBSCRIBE_REQUEST = 1_000;
/** Maximum number of streams times users in one request to subscribe. */
const MAX_STREAMS_TIMES_USERS_PER_REQUEST = 50_000;

/** Refuses a request to subscribe with too many streams, or with too many streams times users. @throws ApiError */
export function checkSubscribeRequestSize(streams: number, users: number): void {
  checkParameterItemCount('subscriptions', streams, MAX_STREAMS_PER_SUBSCRIBE_REQUEST);
  if (streams > 0)
    checkParameterItemCount('principals', users, Math.floor(MAX_STREAMS_TIMES_USERS_PER_REQUEST / streams));
}

interface StreamToSubscribe {
  readonly name: string;
  readonly description: string;
  readonly renderedDescription: string;
  readonly color: string | undefined;
}

/**
 * HTML of the descriptions for `parseStreamsToSubscribe`, rendered in turns: 1,000 characters may take a millisecond.
 */
export async function renderStreamDescriptions(
  streams: readonly { readonly description?: string }[],
): Promise<ReadonlyMap<string, string>> {
  const texts = [...new Set(streams.map(({ description }) => toOneLineDescription(description ?? '')))];
  return new Map(await mapInSlices(texts, (text) => [text, renderContextFreeMarkdownOrEmpty(text)] as const));
}

/** The streams that the request names, each once, in order, with checked names. @throws ApiError */
export function parseStreamsToSubscribe(
  subscriptions: readonly { readonly name: string; readonly description?: string; readonly color?: string }[],
  renderings: ReadonlyMap<string, string>,
): StreamToSubscribe[] {
  const wanted = new Map<string, StreamToSubscribe>();
  for (const { name: given, description: text, color } of subscriptions) {
    const name = toCheckedStreamName(given);
    const description = toOneLineDescription(text ?? '');
    if (!wanted.has(name.toLowerCase())) {
      const rendered = renderings.get(description) ?? renderContextFreeMarkdownOrEmpty(description);
      wanted.set(name.toLowerCase(), { name, description, renderedDescription: rendered, color });
    }
  }
  return [...wanted.values()];
}

/** Checks that the streams to create don't look like each other or like existing streams. @throws ApiError */
export function checkNewStreamNamesDiffer(
  streams: readonly Pick<StreamToSubscribe, 'name'>[],
  volatile: RealmMemoryState,
): void {
  const names = new Set<string>();
  for (const { name } of streams) {
    checkNewStreamNameIsShown(name);
    const shown = foldNameAsShown(name);
    if (names.has(shown) || volatile.findStreamIdByNameAsShown(name) !== undefined)
      throw apiError('STREAM_NAME_TAKEN', { name });
    names.add(shown);
  }
}

/** Checks that the caller may create streams of this privacy. @throws ApiError */
export function checkMayCreateStreams(
  args: {
    readonly invite_only: boolean;
    readonly is_web_public: boolean;
    readonly history_public_to_subscribers: boolean | null;
    readonly server_web_public: boolean;
  },
  acting: DirectoryUser,
  settings: RealmSettings,
  now: number,
  retention: number | null,
): void {
  const policy = args.invite_only ? settings.create_private_stream_policy : settings.create_public_stream_policy;
  if (!isAllowedByPolicy(policy, acting, settings, now)) throw apiError('INSUFFICIENT_PERMISSION');
  if (args.is_web_public) checkMayMakeStreamsWebPublic(args.server_web_public, acting, settings, now);
  if (retention !== null && !isOwner(acting)) throw apiError('OWNER_REQUIRED');
}

/** Checks that the caller may make streams public on the web. @throws ApiError */
export function checkMayMakeStreamsWebPublic(
  server: boolean,
  acting: DirectoryUser,
  settings: RealmSettings,
  now: number,
): void {
  if (!areWebPublicStreamsEnabled(server, settings)) throw apiError('NO_WEB_PUBLIC_STREAMS');
  const policy = settings.create_web_public_stream_policy;
  if (!isAllowedByPolicy(policy, acting, settings, now)) throw apiError('INSUFFICIENT_PERMISSION');
}

/**
 * Id of the group whose members may unsubscribe others. @param id null = the default, administrators @throws ApiError
 */
export function getCanRemoveSubscribersGroupIdOrThrow(id: number | null, parts: ActorParts): number {
  const setting = 'can_remove_subscribers_group';
  if (id === null) return SYSTEM_GROUP_IDS.administrators;
  if (!Object.values(SYSTEM_GROUP_IDS).includes(id as never)) {
    if (parts.has(`${USER_GROUP_PART_PREFIX}${id}`)) throw apiError('GROUP_NOT_SYSTEM', { setting });
    throw apiError('INVALID_USER_GROUP');
  }
  if (id === SYSTEM_GROUP_IDS.internet) throw apiError('GROUP_NOT_ALLOWED', { setting, group: '@role:internet' });
  if (id === SYSTEM_GROUP_IDS.owners) throw apiError('GROUP_NOT_ALLOWED', { setting, group: '@role:owners' });
  if (id === SYSTEM_GROUP_IDS.nobody) throw apiError('GROUP_NOT_ALLOWED', { setting, group: '@role:nobody' });
  return id;
}

/** Finds accounts by id or by API e-mail. A real address that is not the API e-mail finds none. */
export const makePrincipalFinder =
  (parts: ActorParts, volatile: RealmMemoryState) =>
  (principal: string | number): DirectoryUser | undefined => {
    if (typeof principal === 'number') return findUserRecord(parts, principal);
    const user = findUserRecord(parts, volatile.findUserIdByEmail(principal) ?? -1);
    return user?.email.toLowerCase() === principal.toLowerCase() ? user : undefined;
  };

/**
 * The active accounts that the request names, each once. @throws ApiError if one is no active account of the
 * organization
 */
export function getActivePrincipalsOrThrow(
  principals: readonly (string | number)[],
  find: (principal: string | number) => DirectoryUser | undefined,
): DirectoryUser[] {
  const users = new Map<number, DirectoryUser>();
  for (const principal of principals) {
    const user = find(principal);
    if (!user?.isActive) throw apiError('PRINCIPAL_NOT_AUTHORIZED', { principal });
    users.set(user.id, user);
  }
  return [...users.values()];
}
