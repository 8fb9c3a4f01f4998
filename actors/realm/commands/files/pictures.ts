/**
 * Uploads of pictures that replace each other: an avatar, the icon, a logo. Each upload gets a number first and is
 * stored under it. So the blobs of a frontend that died are known and deleted later, and no upload deletes another
 * one's blob.
 */

import { makeFileChangesCommand, makeSuccessReply } from '#actors/shared';
import type { Json, JsonObject } from '#base';
import type { OutboxCommand, realmActorCommands } from '#model/commands';
import { type ActorParts, PICTURE_UPLOADS_PART_PREFIX } from '../../state.js';
import { NO_INPUT_COMMAND_LANE, type RealmCommandHandler } from '../command.js';

/** Numbers of the uploads of one picture. */
interface PictureUploadNumbers extends JsonObject {
  /** Number of the newest upload of the picture. */
  readonly last: number;
  /** Number of the upload that is shown, or of the last one dropped; the blobs of all before it are deleted. */
  readonly since: number;
}

const readPictureUploadNumbers = (parts: ActorParts, picture: string): PictureUploadNumbers =>
  (parts.get(`${PICTURE_UPLOADS_PART_PREFIX}${picture}`) as PictureUploadNumbers | undefined) ?? { last: 0, since: 0 };

export interface PictureUploadChange {
  readonly parts: Readonly<Record<string, Json>>;
  /** Numbers of uploads whose blobs can be deleted. */
  readonly obsoleteUploadNumbers: readonly number[];
}

const listNumbersFromUntil = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);

/** Shows an upload of a picture. @returns undefined if a newer upload is already shown */
export function makePictureUploadActivation(
  parts: ActorParts,
  picture: string,
  number: number,
): PictureUploadChange | undefined {
  const { last, since } = readPictureUploadNumbers(parts, picture);
  if (number <= since) return undefined;
  const next: PictureUploadNumbers = { last: Math.max(last, number), since: number };
  return {
    parts: { [`${PICTURE_UPLOADS_PART_PREFIX}${picture}`]: next },
    obsoleteUploadNumbers: listNumbersFromUntil(Math.max(since, 1), number),
  };
}

/** Shows no upload of the picture any more; uploads that are still on their way are discarded too. */
export function makePictureUploadsDiscard(parts: ActorParts, picture: string): PictureUploadChange {
  const { last, since } = readPictureUploadNumbers(parts, picture);
  const next: PictureUploadNumbers = { last, since: last };
  return {
    parts: last === 0 ? {} : { [`${PICTURE_UPLOADS_PART_PREFIX}${picture}`]: next },
    obsoleteUploadNumbers: listNumbersFromUntil(Math.max(since, 1), last + 1),
  };
}

/** Commands that delete the blobs of pictures from the blob store. @param blobs paths of the blobs */
export const makeEraseBlobsCommands = (
  realm: number,
  blobs: readonly string[],
): readonly (readonly OutboxCommand[])[] =>
  blobs.length === 0 ? [] : [[makeFileChangesCommand(realm as never, 0, [], blobs)]];

/** Replies with the number of a new upload of a picture. The command that shows it checks the rights. */
export const reservePictureUploadNumberHandler: RealmCommandHandler<typeof realmActorCommands.pictureBegin> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ parts }, { picture }) {
    const { last, since } = readPictureUploadNumbers(parts, picture);
    const next: PictureUploadNumbers = { last: last + 1, since };
    return {
      reply: makeSuccessReply({ number: next.last }),
      parts: { [`${PICTURE_UPLOADS_PART_PREFIX}${picture}`]: next },
    };
  },
};
