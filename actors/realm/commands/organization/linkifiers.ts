/**
 * Handlers of /realm/filters (realm.md § Linkifiers). Messages that exist keep their rendering when a linkifier
 * changes.
 */

import { makeSuccessReply } from '#actors/shared';
import type { JsonObject } from '#base';
import { type FieldErrorMessages, findLinkifierErrors } from '#domain/markdown';
import { formatLinkifierForApi, isAdminOrOwner, MAX_LINKIFIERS } from '#domain/people';
import type { LinkifierContent, realmActorCommands } from '#model/commands';
import { apiError, checkParameterItemCount } from '#model/errors';
import type { DirectoryLinkifier } from '#model/records';
import type { CommandOutcome } from '#runtime';
import { makeDirectoryLogItem, makeEveryoneEventLogItem } from '../../log-items.js';
import {
  type ActorParts,
  encodeDirectoryRecord,
  LINKIFIERS_PART_NAME,
  type RealmActorState,
  readLinkifierRecords,
} from '../../state.js';
import { getActingUserOrThrow } from '../callers.js';
import { NO_INPUT_COMMAND_LANE, type RealmCommandHandler } from '../command.js';

type StoreLinkifiersCommit = Pick<CommandOutcome<RealmActorState>, 'parts' | 'events'>;

function checkCallerIsAdmin(parts: ActorParts, caller: number): void {
  if (!isAdminOrOwner(getActingUserOrThrow(parts, caller))) throw apiError('ADMIN_REQUIRED');
}

/**
 * Checks a linkifier's pattern and URL template. @param others linkifiers whose patterns must differ @throws ApiError
 */
function checkAndTrimLinkifier(
  { pattern, url_template }: LinkifierContent,
  others: readonly DirectoryLinkifier[],
): LinkifierContent {
  const linkifier = { pattern: pattern.trim(), url_template: url_template.trim() };
  const errors = findLinkifierErrors(linkifier.pattern, linkifier.url_template);
  const taken = linkifier.pattern !== '' && others.some((other) => other.pattern === linkifier.pattern);
  if (taken) {
    const before = errors.__all__ ?? [];
    throwFieldErrorsIfAny({
      ...errors,
      __all__: [...before, 'Realm filter with this Realm and Pattern already exists.'],
    });
  }
  throwFieldErrorsIfAny(errors);
  return linkifier;
}

function makeStoreLinkifiersCommit(list: readonly DirectoryLinkifier[], version: number): StoreLinkifiersCommit {
  const shown = list.map(formatLinkifierForApi);
  return {
    parts: { [LINKIFIERS_PART_NAME]: encodeDirectoryRecord(list) },
    events: [
      makeDirectoryLogItem({ linkifiers: list }),
      makeEveryoneEventLogItem(version, { type: 'realm_linkifiers', realm_linkifiers: shown }),
    ],
  };
}

export const addLinkifierHandler: RealmCommandHandler<typeof realmActorCommands.addLinkifier> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ state, parts }, args, _inputs, { caller, version }) {
    checkCallerIsAdmin(parts, caller);
    const list = readLinkifierRecords(parts);
    const { pattern, url_template: urlTemplate } = checkAndTrimLinkifier(args, list);
    checkParameterItemCount('realm_linkifiers', list.length + 1, MAX_LINKIFIERS);
    const id = state.nextLinkifier;
    return {
      ...makeStoreLinkifiersCommit([...list, { id, pattern, urlTemplate }], version),
      reply: makeSuccessReply({ id }, version),
      state: { ...state, nextLinkifier: id + 1 },
    };
  },
};

export const updateLinkifierHandler: RealmCommandHandler<typeof realmActorCommands.updateLinkifier> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ parts }, { filter_id: id, ...args }, _inputs, { caller, version }) {
    checkCallerIsAdmin(parts, caller);
    const list = readLinkifierRecords(parts);
    const others = list.filter((one) => one.id !== id);
    if (others.length === list.length) throw apiError('LINKIFIER_NOT_FOUND');
    const { pattern, url_template: urlTemplate } = checkAndTrimLinkifier(args as unknown as LinkifierContent, others);
    const next = list.map((one) => (one.id === id ? { id, pattern, urlTemplate } : one));
    return { ...makeStoreLinkifiersCommit(next, version), reply: makeSuccessReply(undefined, version) };
  },
};

export const removeLinkifierHandler: RealmCommandHandler<typeof realmActorCommands.removeLinkifier> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ parts }, { filter_id }, _inputs, { caller, version }) {
    checkCallerIsAdmin(parts, caller);
    const list = readLinkifierRecords(parts);
    const next = list.filter(({ id }) => id !== filter_id);
    if (next.length === list.length) throw apiError('LINKIFIER_NOT_FOUND');
    return { ...makeStoreLinkifiersCommit(next, version), reply: makeSuccessReply(undefined, version) };
  },
};

/**
 * Refuses a request because fields of an object in it are wrong (errors.md).
 *
 * @throws ApiError with the first message, if there is one
 */
export function throwFieldErrorsIfAny(errors: FieldErrorMessages): void {
  const [first] = Object.values(errors);
  if (first) throw apiError('INVALID_FIELDS', { message: first[0]!, errors: errors as JsonObject });
}
