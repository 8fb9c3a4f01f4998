/** Handlers of /realm/playgrounds (realm.md § Code playgrounds): add and remove code playgrounds. */

import { makeSuccessReply } from '#actors/shared';
import { formatPlaygroundForApi, isAdminOrOwner, MAX_PLAYGROUNDS } from '#domain/people';
import type { realmActorCommands } from '#model/commands';
import { apiError, checkParameterItemCount } from '#model/errors';
import type { DirectoryPlayground } from '#model/records';
import type { CommandOutcome } from '#runtime';
import { makeDirectoryLogItem, makeEveryoneEventLogItem } from '../../log-items.js';
import {
  encodeDirectoryRecord,
  PLAYGROUNDS_PART_NAME,
  type RealmActorState,
  readPlaygroundRecords,
} from '../../state.js';
import { getActingUserOrThrow } from '../callers.js';
import { NO_INPUT_COMMAND_LANE, type RealmCommandHandler } from '../command.js';
import { throwFieldErrorsIfAny } from './linkifiers.js';

const BLANK_FIELD_ERRORS = ['This field cannot be blank.'];
const DUPLICATE_PLAYGROUND_ERRORS = ['Realm playground with this Realm, Pygments language and Name already exists.'];

function makeStorePlaygroundsCommit(
  list: readonly DirectoryPlayground[],
  version: number,
): Pick<CommandOutcome<RealmActorState>, 'parts' | 'events'> {
  const shown = list.map(formatPlaygroundForApi);
  return {
    parts: { [PLAYGROUNDS_PART_NAME]: encodeDirectoryRecord(list) },
    events: [
      makeDirectoryLogItem({ playgrounds: list }),
      makeEveryoneEventLogItem(version, { type: 'realm_playgrounds', realm_playgrounds: shown }),
    ],
  };
}

export const addPlaygroundHandler: RealmCommandHandler<typeof realmActorCommands.addPlayground> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ state, parts }, { name, language, url_prefix: urlPrefix }, _inputs, { caller, version }) {
    if (!isAdminOrOwner(getActingUserOrThrow(parts, caller))) throw apiError('ADMIN_REQUIRED');
    const list = readPlaygroundRecords(parts);
    const blank = {
      ...(language === '' ? { pygments_language: BLANK_FIELD_ERRORS } : {}),
      ...(name === '' ? { name: BLANK_FIELD_ERRORS } : {}),
    };
    throwFieldErrorsIfAny(blank);
    if (list.some((one) => one.name === name && one.language === language))
      throwFieldErrorsIfAny({ __all__: DUPLICATE_PLAYGROUND_ERRORS });
    checkParameterItemCount('realm_playgrounds', list.length + 1, MAX_PLAYGROUNDS);
    const id = state.nextPlayground;
    return {
      ...makeStorePlaygroundsCommit([...list, { id, name, language, urlPrefix }], version),
      reply: makeSuccessReply({ id }, version),
      state: { ...state, nextPlayground: id + 1 },
    };
  },
};

export const removePlaygroundHandler: RealmCommandHandler<typeof realmActorCommands.removePlayground> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ parts }, { playground_id }, _inputs, { caller, version }) {
    if (!isAdminOrOwner(getActingUserOrThrow(parts, caller))) throw apiError('ADMIN_REQUIRED');
    const list = readPlaygroundRecords(parts);
    const next = list.filter(({ id }) => id !== playground_id);
    if (next.length === list.length) throw apiError('INVALID_PLAYGROUND');
    return { ...makeStorePlaygroundsCommit(next, version), reply: makeSuccessReply(undefined, version) };
  },
};
