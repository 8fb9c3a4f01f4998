/**
 * Handlers of /realm/filters (realm.md § Linkifiers). Messages that exist keep their rendering when a linkifier
 * changes.
 */

import { successReply } from '#actors/shared';
import type { JsonObject } from '#base';
import { type FieldErrors, linkifierErrors } from '#domain/markdown';
import { isAdmin, presentLinkifier } from '#domain/people';
import type { LinkifierContent, realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryLinkifier } from '#model/records';
import type { Outcome } from '#runtime';
import { directoryLogItem, everyoneEventItem } from '../../log-items.js';
import { type ActorParts, encodeRecord, LINKIFIERS_PART, linkifierRecords, type RealmState } from '../../state.js';
import { requireActingUser } from '../callers.js';
import { type RealmCommand, SETTINGS_LANE } from '../command.js';

type StoredList = Pick<Outcome<RealmState>, 'parts' | 'events'>;

function checkAdmin(parts: ActorParts, caller: number): void {
  if (!isAdmin(requireActingUser(parts, caller))) throw apiError('ADMIN_REQUIRED');
}

/**
 * Checks a linkifier's pattern and URL template. @param others linkifiers whose patterns must differ @throws ApiError
 */
function checkLinkifier(
  { pattern, url_template }: LinkifierContent,
  others: readonly DirectoryLinkifier[],
): LinkifierContent {
  const linkifier = { pattern: pattern.trim(), url_template: url_template.trim() };
  const errors = linkifierErrors(linkifier.pattern, linkifier.url_template);
  const taken = linkifier.pattern !== '' && others.some((other) => other.pattern === linkifier.pattern);
  if (taken) {
    const before = errors.__all__ ?? [];
    throwFieldErrors({ ...errors, __all__: [...before, 'Realm filter with this Realm and Pattern already exists.'] });
  }
  throwFieldErrors(errors);
  return linkifier;
}

function storeList(list: readonly DirectoryLinkifier[], version: number): StoredList {
  const shown = list.map(presentLinkifier);
  return {
    parts: { [LINKIFIERS_PART]: encodeRecord(list) },
    events: [
      directoryLogItem({ linkifiers: list }),
      everyoneEventItem(version, { type: 'realm_linkifiers', realm_linkifiers: shown }),
    ],
  };
}

export const addLinkifierHandler: RealmCommand<typeof realmCommands.addLinkifier> = {
  lane: SETTINGS_LANE,
  handle({ state, parts }, args, _inputs, { caller, version }) {
    checkAdmin(parts, caller);
    const list = linkifierRecords(parts);
    const { pattern, url_template: urlTemplate } = checkLinkifier(args, list);
    const id = state.nextLinkifier;
    return {
      ...storeList([...list, { id, pattern, urlTemplate }], version),
      reply: successReply({ id }, version),
      state: { ...state, nextLinkifier: id + 1 },
    };
  },
};

export const updateLinkifierHandler: RealmCommand<typeof realmCommands.updateLinkifier> = {
  lane: SETTINGS_LANE,
  handle({ parts }, { filter_id: id, ...args }, _inputs, { caller, version }) {
    checkAdmin(parts, caller);
    const list = linkifierRecords(parts);
    const others = list.filter((one) => one.id !== id);
    if (others.length === list.length) throw apiError('LINKIFIER_NOT_FOUND');
    const { pattern, url_template: urlTemplate } = checkLinkifier(args as unknown as LinkifierContent, others);
    const next = list.map((one) => (one.id === id ? { id, pattern, urlTemplate } : one));
    return { ...storeList(next, version), reply: successReply(undefined, version) };
  },
};

export const removeLinkifierHandler: RealmCommand<typeof realmCommands.removeLinkifier> = {
  lane: SETTINGS_LANE,
  handle({ parts }, { filter_id }, _inputs, { caller, version }) {
    checkAdmin(parts, caller);
    const list = linkifierRecords(parts);
    const next = list.filter(({ id }) => id !== filter_id);
    if (next.length === list.length) throw apiError('LINKIFIER_NOT_FOUND');
    return { ...storeList(next, version), reply: successReply(undefined, version) };
  },
};

/**
 * Refuses a request because fields of an object in it are wrong (errors.md).
 *
 * @throws ApiError with the first message, if there is one
 */
export function throwFieldErrors(errors: FieldErrors): void {
  const [first] = Object.values(errors);
  if (first) throw apiError('INVALID_FIELDS', { message: first[0]!, errors: errors as JsonObject });
}
