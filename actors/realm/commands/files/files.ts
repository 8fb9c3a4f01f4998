/** Uploaded files of the organization: their numbers and the space that they take. */

import { valueReply } from '#actors/shared';
import type { Json } from '#base';
import type { realmCommands } from '#model/commands';
import { BlobsUnavailable } from '#ports/blobs';
import type { RealmCommand } from '../command.js';

/**
 * Number of a new file; null: there is no space for it. Numbers of failed uploads are skipped. Running uploads count,
 * so that concurrent ones cannot exceed the quota together.
 */
export const reserveFileNumberHandler: RealmCommand<typeof realmCommands.fileId> = {
  lane: 'files',
  handle({ state, volatile }, { size, quota }, _inputs, { now }) {
    const { uploads } = state;
    if (quota !== null) {
      if (uploads.used + volatile.reservedSpace(now) + size > quota) return { reply: valueReply(null) };
      volatile.reserveSpace(uploads.next, size, now);
    }
    return { reply: valueReply(uploads.next), state: { ...state, uploads: { ...uploads, next: uploads.next + 1 } } };
  },
};

/** Replies with the bytes that all files take. */
export const readSpaceUsedHandler: RealmCommand<typeof realmCommands.spaceUsed> = {
  lane: 'space',
  read: true,
  handle: ({ state }) => ({ reply: valueReply(state.uploads.used) }),
};

/**
 * Records changes of files. Sent by the owner's actor, which has decided: never refused. The command comes from an
 * outbox, so the commit that removed the files is durable; the inputs may therefore delete the bytes, and a repeat does
 * no harm.
 */
export const recordFileChangesHandler: RealmCommand<typeof realmCommands.filesChanged> = {
  lane: 'files',
  async inputs({ erase }, { realm }, { services }) {
    for (const path of erase) {
      try {
        await services.blobs.delete(realm, path);
      } catch (error) {
        // An error of the disk is ignored: one file must not block all uploads of the organization.
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
    return { reply: valueReply(null), state: { ...state, uploads: { ...state.uploads, used } }, events };
  },
};
