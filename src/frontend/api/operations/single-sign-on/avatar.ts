/** The picture of a new account, from the provider of its identity. */
import { makeAvatarImages } from '#domain/pictures';
import type { UserId } from '#model';
import type { ApiCall } from '../../operation.js';
import { storeAvatar } from '../../store-picture.js';

/** Stores the picture if the image proxy gets it. A sign-in succeeds without one. */
export async function storeProviderAvatar(call: ApiCall<unknown>, user: UserId, address: string): Promise<void> {
  const { imageProxy, realm, secrets, blobs } = call;
  if (!imageProxy?.fetches) return;
  try {
    const images = await makeAvatarImages((await imageProxy.get(address)).bytes);
    await storeAvatar({ realm, secrets, blobs, send: (command) => call.send({ ...command, as: user }) }, user, images);
  } catch {
    // Any failure, of the other host or of the picture: the account keeps its gravatar.
  }
}
