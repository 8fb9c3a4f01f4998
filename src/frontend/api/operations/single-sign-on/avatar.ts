/** Avatar of a new account, taken from its identity provider. */
import { makeAvatarPngBySize } from '#domain/pictures';
import type { UserId } from '#model';
import type { ApiCall, ForwardedCommand } from '../../operation.js';
import { storeAndShowAvatar } from '../../store-picture.js';

/**
 * Stores the provider's picture as avatar, if the image proxy can fetch it. The sign-in doesn't wait for the host of
 * the picture, so the result is no part of its answer: never rejects.
 */
export async function tryStoreProviderAvatar(call: ApiCall<unknown>, user: UserId, address: string): Promise<void> {
  const { imageProxy, realm, secrets, blobs } = call;
  if (!imageProxy?.fetchesImages) return;
  try {
    const asUser = {
      realm,
      secrets,
      blobs,
      send: <T>(command: ForwardedCommand<T>) => call.send({ ...command, as: user }),
    };
    await storeAndShowAvatar(asUser, user, async () =>
      makeAvatarPngBySize((await imageProxy.getOrFetchImage(address)).bytes),
    );
  } catch {
    // After any failure, of the other host or of the picture, the account keeps its gravatar.
  }
}
