/**
 * Uploads of pictures that replace each other: an avatar, the icon, a logo. Each upload is numbered before it is stored,
 * and stored under its number. So nothing is left behind when a frontend dies in between, and no upload is deleted with
 * another one.
 */

import { success, tellRealm } from '#actors/shared';
import type { Json, JsonObject } from '#base';
import type { OutboxCommand, realmCommands } from '#model/commands';
import { type Parts, UPLOADS_PART } from '../../state.js';
import type { RealmCommand } from '../command.js';
import { SETTINGS_LANE } from '../command.js';

/** Of one picture. */
interface Uploads extends JsonObject {
  /** Newest that was numbered. */
  readonly last: number;
  /** All before this one are deleted; this one is shown, or none. */
  readonly since: number;
}

const uploadsOf = (parts: Parts, picture: string): Uploads =>
  (parts.get(`${UPLOADS_PART}${picture}`) as Uploads | undefined) ?? { last: 0, since: 0 };

export interface UploadReplacement {
  readonly parts: Readonly<Record<string, Json>>;
  /** Numbers of uploads that nobody needs any more. */
  readonly gone: readonly number[];
}

const between = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);

/** The upload is the picture from now on. undefined: a newer one was faster. */
export function activateUpload(parts: Parts, picture: string, number: number): UploadReplacement | undefined {
  const { last, since } = uploadsOf(parts, picture);
  if (number <= since) return undefined;
  const next: Uploads = { last: Math.max(last, number), since: number };
  return { parts: { [`${UPLOADS_PART}${picture}`]: next }, gone: between(Math.max(since, 1), number) };
}

/** No upload is the picture, neither one that is on its way. */
export function discardUploads(parts: Parts, picture: string): UploadReplacement {
  const { last, since } = uploadsOf(parts, picture);
  const next: Uploads = { last, since: last };
  return {
    parts: last === 0 ? {} : { [`${UPLOADS_PART}${picture}`]: next },
    gone: between(Math.max(since, 1), last + 1),
  };
}

/** @param blobs where they are kept */
export const eraseBlobs = (realm: number, blobs: readonly string[]): readonly (readonly OutboxCommand[])[] =>
  blobs.length === 0 ? [] : [[tellRealm(realm as never, 0, [], blobs)]];

/** Number of a new upload. Who may make it is checked when it is stored. */
export const pictureBegin: RealmCommand<typeof realmCommands.pictureBegin> = {
  lane: SETTINGS_LANE,
  handle({ parts }, { picture }) {
    const { last, since } = uploadsOf(parts, picture);
    const next: Uploads = { last: last + 1, since };
    return { reply: success({ number: next.last }), parts: { [`${UPLOADS_PART}${picture}`]: next } };
  },
};
