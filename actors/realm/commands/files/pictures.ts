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

/** Numbers of the uploads of one picture. */
interface Uploads extends JsonObject {
  /** Number of the newest upload of the picture. */
  readonly last: number;
  /** Number of the upload that is shown, or of the last one dropped; the blobs of all before it are deleted. */
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

/** Shows an upload of a picture. @returns undefined if a newer upload is already shown */
export function activateUpload(parts: ActorParts, picture: string, number: number): UploadReplacement | undefined {
  const { last, since } = uploadsOf(parts, picture);
  if (number <= since) return undefined;
  const next: Uploads = { last: Math.max(last, number), since: number };
  return { parts: { [`${UPLOADS_PART_PREFIX}${picture}`]: next }, gone: between(Math.max(since, 1), number) };
}

/** Shows no upload of the picture any more; uploads that are still on their way are discarded too. */
export function discardUploads(parts: ActorParts, picture: string): UploadReplacement {
  const { last, since } = uploadsOf(parts, picture);
  const next: Uploads = { last, since: last };
  return {
    parts: last === 0 ? {} : { [`${UPLOADS_PART_PREFIX}${picture}`]: next },
    gone: between(Math.max(since, 1), last + 1),
  };
}

/** Commands that delete the blobs of pictures from the blob store. @param blobs paths of the blobs */
export const eraseBlobCommands = (realm: number, blobs: readonly string[]): readonly (readonly OutboxCommand[])[] =>
  blobs.length === 0 ? [] : [[reportFileChanges(realm as never, 0, [], blobs)]];

/** Replies with the number of a new upload of a picture. The command that shows it checks the rights. */
export const beginPictureUploadHandler: RealmCommand<typeof realmCommands.pictureBegin> = {
  lane: SETTINGS_LANE,
  handle({ parts }, { picture }) {
    const { last, since } = uploadsOf(parts, picture);
    const next: Uploads = { last: last + 1, since };
    return { reply: successReply({ number: next.last }), parts: { [`${UPLOADS_PART_PREFIX}${picture}`]: next } };
  },
};
