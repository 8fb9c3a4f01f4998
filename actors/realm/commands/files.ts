/** Uploaded files, as far as they concern the whole organization: their numbers and the space that they take. */

import { BlobsUnavailable } from '../../../src/blobs/index.js';
import type { Json, JsonObject } from '../../../src/core/index.js';
import { value } from '../../shared/replies.js';
import type { FileChange } from '../../user/files.js';
import type { RealmCommand } from './command.js';

/** Number of a new file. One that is not used in the end is left out. */
export const fileId: RealmCommand<JsonObject> = {
  lane: 'files',
  handle({ state }) {
    const { uploads } = state;
    return { reply: value(uploads.next), state: { ...state, uploads: { ...uploads, next: uploads.next + 1 } } };
  },
};

/** Bytes that all files take. */
export const spaceUsed: RealmCommand<JsonObject> = {
  lane: 'space',
  read: true,
  handle: ({ state }) => ({ reply: value(state.uploads.used) }),
};

/**
 * Decided by the owner's actor: never refused. It comes through that actor's outbox, so its needs may delete the bytes of
 * files: the commit that removed them is durable, and deleting can be repeated.
 */
export const filesChanged: RealmCommand<{
  readonly owner: number;
  readonly changes: readonly FileChange[];
  readonly erase: readonly string[];
}> = {
  lane: 'files',
  async needs({ erase }, { realm }, { services }) {
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
  handle({ state }, { owner, changes }) {
    let { used } = state.uploads;
    const events = changes.map(({ op, attachment, bytes }) => {
      used += bytes;
      const event = { type: 'attachment', op, attachment: attachment as Json, upload_space_used: used };
      return { t: 'event', to: { users: [owner] }, event } as const;
    });
    return { reply: value(null), state: { ...state, uploads: { ...state.uploads, used } }, events };
  },
};
