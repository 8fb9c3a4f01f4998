/** Avatar of a new account, taken from its identity provider. */
import { makeAvatarImages } from '#domain/pictures';
import type { UserId } from '#model';
import type { ApiCall } from '../../operation.js';
import { storeAvatar } from '../../store-picture.js';

/**
 * Stores the provider's picture as avatar, if the image proxy can fetch it. A sign-in succeeds also without a picture.
 */
export async function storeProviderAvatar(call: ApiCall<unknown>, user: UserId, address: string): Promise<void> {
  const { imageProxy, realm, secrets, blobs } = call;
  if (!imageProxy?.fetchesImages) return;
  try {
    const images = await makeAvatarImages((await imageProxy.getOrFetchImage(address)).bytes);
    await storeAvatar({ realm, secrets, blobs, send: (command) => call.send({ ...command, as: user }) }, user, images);
  } catch {
    // After any failure, of the other host or of the picture, the account keeps its gravatar.
  }
}
