import type { JsonObject } from '#base';
import { AVATAR_SIZES, type AvatarPngBySize, blobNameOfAvatar, MAX_UPLOADED_PICTURE_MIB } from '#domain/pictures';
import { realmActorKey, type UserId } from '#model';
import { realmActorCommands } from '#model/commands';
import { ActorRefusedError, apiError } from '#model/errors';
import { type ApiCall, type ForwardedCommand, forwardCommand } from './operation.js';

/**
 * Returns the only file of the form as a picture.
 * @param notOne refusal for any other number of files.
 * @throws ApiError
 */
export function getOnlyUploadedPictureOrThrow(
  { files }: ApiCall<unknown>,
  notOne: 'AVATAR_ONE_FILE' | 'ONE_FILE' | 'ICON_ONE_FILE' | 'LOGO_ONE_FILE',
) {
  if (files !== 'too large' && files.length !== 1) throw apiError(notOne);
  return {
    /** Bytes of the picture. @throws ApiError if the file is too large */
    bytes(): Uint8Array {
      const bytes = files === 'too large' ? undefined : files[0]!.bytes;
      if (!bytes || bytes.byteLength > MAX_UPLOADED_PICTURE_MIB * 1_048_576)
        throw apiError('FILE_TOO_LARGE', { n: MAX_UPLOADED_PICTURE_MIB });
      return bytes;
    },
  };
}

/** The members of a call that are needed to store pictures. */
type PictureStoringCall = Pick<ApiCall<unknown>, 'realm' | 'secrets' | 'blobs' | 'send'>;

type PictureFiles = readonly (readonly [blob: string, bytes: Uint8Array])[];

interface PictureUpload {
  /** Name of the picture under which the realm actor numbers its uploads. */
  readonly picture: string;
  /** Returns the files to store for the upload with this number; all are PNG pictures. */
  files(number: number): PictureFiles | Promise<PictureFiles>;
  /** Makes the command that declares the upload the current picture. */
  show(number: number): ForwardedCommand<JsonObject>;
}

/**
 * Stores a picture in three steps: the realm actor gives a number, the blobs are stored, a command makes the upload the
 * current picture.
 * @returns fields of the actor's answer
 * @throws ActorRefusedError
 */
export async function storeAndShowUploadedPicture(
  call: PictureStoringCall,
  upload: PictureUpload,
): Promise<JsonObject> {
  const to = realmActorKey(call.realm);
  const begun = await call.send(
    forwardCommand({ to, command: realmActorCommands.pictureBegin, args: { picture: upload.picture } }),
  );
  const number = Number(begun.number);
  const files = await upload.files(number);
  for (const [blob, bytes] of files) await call.blobs.put(call.realm, blob, bytes, 'image/png');
  try {
    return await call.send(upload.show(number));
  } catch (error) {
    // After any other failure the commit may have happened; then the files stay until the next upload.
    if (error instanceof ActorRefusedError) for (const [blob] of files) await call.blobs.delete(call.realm, blob);
    throw error;
  }
}

/**
 * Gives an account this avatar: the caller's account, or a bot that the caller manages. All users get an event.
 * @param images from `makeAvatarPngBySize`; a function is called once the upload has its number: uploads that begin
 * meanwhile are newer, and stay the avatar
 * @returns URL of the avatar @throws ActorRefusedError
 */
export async function storeAndShowAvatar(
  call: PictureStoringCall,
  user: UserId,
  images: AvatarPngBySize | (() => Promise<AvatarPngBySize>),
): Promise<string> {
  const hash = call.secrets.avatarHashOfUser(call.realm, user);
  const answer = await storeAndShowUploadedPicture(call, {
    picture: `avatar/${user}`,
    async files(number) {
      const made = typeof images === 'function' ? await images() : images;
      return AVATAR_SIZES.map((size) => [blobNameOfAvatar(hash, number, size), made[size]] as const);
    },
    show: (number) =>
      forwardCommand({
        to: realmActorKey(call.realm),
        command: realmActorCommands.setAvatar,
        args: { user, hash, number },
      }),
  });
  return String(answer.avatar_url);
}
