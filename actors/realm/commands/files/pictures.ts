/**
 * Uploads of pictures that replace each other: an avatar, the icon, a logo. Each upload gets a number first and is
 * stored under it. So the blobs of a frontend that died are known and deleted later, and no upload deletes another
 * one's blob.
 */

import { reportFileChanges, successReply } from '#actors/shared';
import type { Json, JsonObject } from '#base';
import type { OutboxCommand, realmCommands } from '#model/commands';
import { type ActorParts, UPLOADS_PART_PREFIX } from '../../state.js';
import { type RealmCommand, SETTINGS_LANE } from '../command.js';

/** Uploads of one picture. */
interface Uploads extends JsonObject {
  /** Number of the newest upload. */
  readonly last: number;
  /** The shown upload, or the last one dropped; all before it are deleted. */
  readonly since: number;
}

const uploadsOf = (parts: ActorParts, picture: string): Uploads =>
  (parts.get(`${UPLOADS_PART_PREFIX}${picture}`) as Uploads | undefined) ?? { last: 0, since: 0 };

export interface UploadReplacement {
  readonly parts: Readonly<Record<string, Json>>;
  /** Numbers of uploads whose blobs can be deleted. */
  readonly gone: readonly number[];
}

const between = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);

/** Shows the upload. @returns undefined if a newer upload is already shown */
export function activateUpload(parts: ActorParts, picture: string, number: number): UploadReplacement | undefined {
  const { last, since } = uploadsOf(parts, picture);
  if (number <= since) return undefined;
  const next: Uploads = { last: Math.max(last, number), since: number };
  return { parts: { [`${UPLOADS_PART_PREFIX}${picture}`]: next }, gone: between(Math.max(since, 1), number) };
}

/** Shows no upload any more; uploads still on their way are discarded too. */
export function discardUploads(parts: ActorParts, picture: string): UploadReplacement {
  const { last, since } = uploadsOf(parts, picture);
  const next: Uploads = { last, since: last };
  return {
    parts: last === 0 ? {} : { [`${UPLOADS_PART_PREFIX}${picture}`]: next },
    gone: between(Math.max(since, 1), last + 1),
  };
}

/** Commands that delete blobs. @param blobs their paths */
export const eraseBlobCommands = (realm: number, blobs: readonly string[]): readonly (readonly OutboxCommand[])[] =>
  blobs.length === 0 ? [] : [[reportFileChanges(realm as never, 0, [], blobs)]];

/** Number of a new upload. Rights are checked by the command that shows it. */
export const beginPictureUpload: RealmCommand<typeof realmCommands.pictureBegin> = {
  lane: SETTINGS_LANE,
  handle({ parts }, { picture }) {
    const { last, since } = uploadsOf(parts, picture);
    const next: Uploads = { last: last + 1, since };
    return { reply: successReply({ number: next.last }), parts: { [`${UPLOADS_PART_PREFIX}${picture}`]: next } };
  },
};
