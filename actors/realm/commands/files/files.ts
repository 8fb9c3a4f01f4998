/** Uploaded files, as far as they concern the whole organization: their numbers and the space that they take. */

import { value } from '#actors/shared';
import type { Json } from '#base';
import type { realmCommands } from '#model/commands';
import { BlobsUnavailable } from '#ports/blobs';
import type { RealmCommand } from '../command.js';

/**
 * Number of a new file; null: there is no space for it. A number that is not used in the end is left out. What is being
 * uploaded counts, so that many at once do not exceed together what each of them leaves free.
 */
export const fileId: RealmCommand<typeof realmCommands.fileId> = {
  lane: 'files',
  handle({ state, volatile }, { size, quota }, _inputs, { now }) {
    const { uploads } = state;
    if (quota !== null) {
      if (uploads.used + volatile.reservedSpace(now) + size > quota) return { reply: value(null) };
      volatile.reserveSpace(uploads.next, size, now);
    }
    return { reply: value(uploads.next), state: { ...state, uploads: { ...uploads, next: uploads.next + 1 } } };
  },
};

/** Bytes that all files take. */
export const spaceUsed: RealmCommand<typeof realmCommands.spaceUsed> = {
  lane: 'space',
  read: true,
  handle: ({ state }) => ({ reply: value(state.uploads.used) }),
};

/**
 * Decided by the owner's actor: never refused. It comes through that actor's outbox, so its needs may delete the bytes of
 * files: the commit that removed them is durable, and deleting can be repeated.
 */
export const filesChanged: RealmCommand<typeof realmCommands.filesChanged> = {
  lane: 'files',
  async inputs({ erase }, { realm }, { services }) {
    for (const path of erase) {
      try {
        await services.blobs.delete(realm, path);
      } catch (error) {
        // Otherwise it is the disk that refuses: no reason for the organization's uploads to stand still.
        if (error instanceof BlobsUnavailable) throw error;
      }
    }
    return undefined;
  },
  handle({ state, volatile }, { owner, changes }) {
    let { used } = state.uploads;
    const events = changes.map(({ op, attachment, bytes }) => {
      used += bytes;
      if (op === 'add') volatile.releaseSpace(Number(attachment.id));
      const event = { type: 'attachment', op, attachment: attachment as Json, upload_space_used: used };
      return { t: 'event', to: { users: [owner] }, event } as const;
    });
    return { reply: value(null), state: { ...state, uploads: { ...state.uploads, used } }, events };
  },
};
