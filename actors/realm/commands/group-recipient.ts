/** recipient_id of a direct-message group: allocated when the group first talks, the same ever after. */

import { value } from '#actors/shared';
import type { realmCommands } from '#model/commands';
import { GROUP_PART } from '../state.js';
import type { RealmCommand } from './command.js';

export const groupRecipient: RealmCommand<typeof realmCommands.groupRecipient> = {
  lane: 'groups',
  handle({ state, parts }, { group }) {
    const part = `${GROUP_PART}${group}`;
    const known = parts.get(part);
    if (known !== undefined) return { reply: value(known) };
    const id = state.nextRecipient;
    return { reply: value(id), state: { ...state, nextRecipient: id + 1 }, parts: { [part]: id } };
  },
};
