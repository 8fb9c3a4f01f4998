/** Handlers of /realm/playgrounds (realm.md § Code playgrounds): add and remove code playgrounds. */

import { successReply } from '#actors/shared';
import { isAdmin, presentPlayground } from '#domain/people';
import type { realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryPlayground } from '#model/records';
import type { Outcome } from '#runtime';
import { directoryLogItem, everyoneEventItem } from '../../log-items.js';
import { encodeRecord, PLAYGROUNDS_PART, playgroundRecords, type RealmState } from '../../state.js';
import { requireActingUser } from '../callers.js';
import { type RealmCommand, SETTINGS_LANE } from '../command.js';
import { throwFieldErrors } from './linkifiers.js';

const BLANK = ['This field cannot be blank.'];
const TAKEN = ['Realm playground with this Realm, Pygments language and Name already exists.'];

function storeList(
  list: readonly DirectoryPlayground[],
  version: number,
): Pick<Outcome<RealmState>, 'parts' | 'events'> {
  const shown = list.map(presentPlayground);
  return {
    parts: { [PLAYGROUNDS_PART]: encodeRecord(list) },
    events: [
      directoryLogItem({ playgrounds: list }),
      everyoneEventItem(version, { type: 'realm_playgrounds', realm_playgrounds: shown }),
    ],
  };
}

export const addPlaygroundHandler: RealmCommand<typeof realmCommands.addPlayground> = {
  lane: SETTINGS_LANE,
  handle({ state, parts }, { name, language, url_prefix: urlPrefix }, _inputs, { caller, version }) {
    if (!isAdmin(requireActingUser(parts, caller))) throw apiError('ADMIN_REQUIRED');
    const list = playgroundRecords(parts);
    const blank = { ...(language === '' ? { pygments_language: BLANK } : {}), ...(name === '' ? { name: BLANK } : {}) };
    throwFieldErrors(blank);
    if (list.some((one) => one.name === name && one.language === language)) throwFieldErrors({ __all__: TAKEN });
    const id = state.nextPlayground;
    return {
      ...storeList([...list, { id, name, language, urlPrefix }], version),
      reply: successReply({ id }, version),
      state: { ...state, nextPlayground: id + 1 },
    };
  },
};

export const removePlaygroundHandler: RealmCommand<typeof realmCommands.removePlayground> = {
  lane: SETTINGS_LANE,
  handle({ parts }, { playground_id }, _inputs, { caller, version }) {
    if (!isAdmin(requireActingUser(parts, caller))) throw apiError('ADMIN_REQUIRED');
    const list = playgroundRecords(parts);
    const next = list.filter(({ id }) => id !== playground_id);
    if (next.length === list.length) throw apiError('INVALID_PLAYGROUND');
    return { ...storeList(next, version), reply: successReply(undefined, version) };
  },
};
