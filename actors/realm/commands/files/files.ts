/** Uploaded files of the organization: their numbers and the space that they take. */

import { makeValueReply } from '#actors/shared';
import type { Json } from '#base';
import type { realmActorCommands } from '#model/commands';
import { BlobStorageUnavailableError } from '#ports/blobs';
import type { RealmCommandHandler } from '../command.js';

/**
 * Replies with the number for a new file, or with null if there is no space for the file. Running uploads count, so
 * that concurrent ones cannot exceed the quota together. Numbers of failed uploads are not used again.
 */
export const reserveFileNumberAndSpaceHandler: RealmCommandHandler<typeof realmActorCommands.fileId> = {
  lane: 'files',
  handle({ state, volatile }, { size, quota }, _inputs, { now }) {
    const { uploads } = state;
    if (quota !== null) {
      if (uploads.used + volatile.dropExpiredAndSumReservedUploadBytes(now) + size > quota)
        return { reply: makeValueReply(null) };
      volatile.reserveUploadSpace(uploads.next, size, now);
    }
    return {
      reply: makeValueReply(uploads.next),
      state: { ...state, uploads: { ...uploads, next: uploads.next + 1 } },
    };
  },
};

/** Replies with the bytes that all files take. */
export const readFileSpaceUsedHandler: RealmCommandHandler<typeof realmActorCommands.spaceUsed> = {
  lane: 'space',
  read: true,
  handle: ({ state }) => ({ reply: makeValueReply(state.uploads.used) }),
};

/**
 * Records changes of files that the owner's actor has decided on, so it never refuses.
 *
 * The command comes from an outbox: the commit that removed the files is durable, so the inputs may delete the bytes. A
 * repeat does no harm.
 */
export const eraseBlobsAndRecordFileChangesHandler: RealmCommandHandler<typeof realmActorCommands.filesChanged> = {
  lane: 'files',
  async inputs({ erase }, { realm }, { services }) {
    for (const path of erase) {
      try {
        await services.blobs.delete(realm, path);
      } catch (error) {
        // An error of the disk is ignored: one file must not block all uploads of the organization.
        if (error instanceof BlobStorageUnavailableError) throw error;
      }
    }
    return undefined;
  },
  handle({ state, volatile }, { owner, changes }) {
    let { used } = state.uploads;
    const events = changes.map(({ op, attachment, bytes }) => {
      used += bytes;
      if (op === 'add') volatile.releaseUploadSpace(Number(attachment.id));
      const event = { type: 'attachment', op, attachment: attachment as Json, upload_space_used: used };
      return { t: 'event', to: { users: [owner] }, event } as const;
    });
    return { reply: makeValueReply(null), state: { ...state, uploads: { ...state.uploads, used } }, events };
  },
};
