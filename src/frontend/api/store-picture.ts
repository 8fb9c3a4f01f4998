import type { JsonObject } from '#base';
import { AVATAR_SIZES, type AvatarImages, blobOfAvatar, PICTURE_MIB } from '#domain/pictures';
import { realmKey, type UserId } from '#model';
import { realmCommands } from '#model/commands';
import { ActorRefused, apiError } from '#model/errors';
import { type Call, type Forward, forward } from './operation.js';

/** The one file of the form, for a picture. @param notOne the refusal of another number. @throws ApiError */
export function onePicture(
  { files }: Call<unknown>,
  notOne: 'AVATAR_ONE_FILE' | 'ONE_FILE' | 'ICON_ONE_FILE' | 'LOGO_ONE_FILE',
) {
  if (files !== 'too large' && files.length !== 1) throw apiError(notOne);
  return {
    /** @throws ApiError for a file that is too large */
    bytes(): Uint8Array {
      const bytes = files === 'too large' ? undefined : files[0]!.bytes;
      if (!bytes || bytes.byteLength > PICTURE_MIB * 1_048_576) throw apiError('FILE_TOO_LARGE', { n: PICTURE_MIB });
      return bytes;
    },
  };
}

interface Upload {
  /** What it is a picture of, as the realm's actor numbers uploads. */
  readonly picture: string;
  /** Where its files go, given its number; all PNG. */
  files(number: number): readonly (readonly [blob: string, bytes: Uint8Array])[];
  /** The command that makes it the picture. */
  show(number: number): Forward<JsonObject>;
}

/** Store a picture, then have it shown. Gives the fields of the actor's answer. @throws ActorRefused */
export async function storePicture(call: Call<unknown>, upload: Upload): Promise<JsonObject> {
  const to = realmKey(call.realm);
  const begun = await call.send(
    forward({ to, command: realmCommands.pictureBegin, args: { picture: upload.picture } }),
  );
  const number = Number(begun.number);
  const files = upload.files(number);
  for (const [blob, bytes] of files) await call.blobs.put(call.realm, blob, bytes, 'image/png');
  try {
    return await call.send(upload.show(number));
  } catch (error) {
    // Any other failure may have come after it was decided: then the next upload sees to these.
    if (error instanceof ActorRefused) for (const [blob] of files) await call.blobs.delete(call.realm, blob);
    throw error;
  }
}

/**
 * Give an account this avatar: the caller's own, or that of a bot which the caller manages. Everybody hears of it.
 * Gives its address. @param images from `avatarImages`. @throws ActorRefused
 */
export async function storeAvatar(call: Call<unknown>, user: UserId, images: AvatarImages): Promise<string> {
  const hash = call.secrets.avatarHash(call.realm, user);
  const answer = await storePicture(call, {
    picture: `avatar/${user}`,
    files: (number) => AVATAR_SIZES.map((size) => [blobOfAvatar(hash, number, size), images[size]]),
    show: (number) =>
      forward({ to: realmKey(call.realm), command: realmCommands.setAvatar, args: { user, hash, number } }),
  });
  return String(answer.avatar_url);
}
