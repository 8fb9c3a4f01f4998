/** Operations of the API for custom emoji (realm.md § Custom emoji). */

import {
  customEmojiImagePath,
  emojiStillImagePath,
  formatCustomEmojiForApi,
  makeEmojiImageFromUpload,
  toCheckedCustomEmojiName,
} from '#domain/emoji';
import { blobNameOfPicture, MAX_UPLOADED_PICTURE_MIB } from '#domain/pictures';
import { realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import { ActorRefusedError } from '#model/errors';
import { type ApiOperation, defineOperation, forwardCommand } from '../../operation.js';
import { declarePathTextParameter } from '../../parameters.js';

const getCustomEmojiOperation = defineOperation({
  id: 'get-custom-emoji',
  method: 'GET',
  path: '/realm/emoji',
  guard: 'user',
  summary: "The organization's custom emoji, deactivated ones too.",
  parameters: {},
  run: ({ directory }) => ({ fields: { emoji: formatCustomEmojiForApi(directory.customEmoji()) } }),
});

const uploadCustomEmojiOperation = defineOperation({
  id: 'upload-custom-emoji',
  method: 'POST',
  path: '/realm/emoji/{emoji_name}',
  guard: 'member_human',
  takesFiles: true,
  summary: 'Add a custom emoji.',
  parameters: { emoji_name: declarePathTextParameter('Its name.') },
  async run(call) {
    const { realm, files } = call;
    const name = toCheckedCustomEmojiName(call.params.emoji_name);
    const to = realmActorKey(realm);
    const given = files === 'too large' ? undefined : files[0]?.bytes;
    const args = {
      name,
      files: files === 'too large' ? 1 : files.length,
      tooLarge: files === 'too large' || (given?.byteLength ?? 0) > MAX_UPLOADED_PICTURE_MIB * 1_048_576,
      mib: MAX_UPLOADED_PICTURE_MIB,
    };
    const { id } = (await call.send(forwardCommand({ to, command: realmActorCommands.emojiBegin, args }))) as {
      id: number;
    };
    const image = await makeEmojiImageFromUpload(given ?? new Uint8Array(0));
    const picture = blobNameOfPicture(customEmojiImagePath(id, image.extension));
    await call.blobs.put(realm, picture, image.bytes, image.type);
    if (image.still) await call.blobs.put(realm, blobNameOfPicture(emojiStillImagePath(id)), image.still, 'image/png');
    const add = { id, name, extension: image.extension, animated: image.still !== null };
    try {
      await call.send(forwardCommand({ to, command: realmActorCommands.emojiAdd, args: add }));
    } catch (error) {
      // The actor refused the command, because another emoji has taken the name. After any other failure the emoji may
      // exist, so its picture stays.
      if (error instanceof ActorRefusedError) {
        await call.blobs.delete(realm, picture);
        await call.blobs.delete(realm, blobNameOfPicture(emojiStillImagePath(id)));
      }
      throw error;
    }
    return { fields: {} };
  },
});

const deactivateCustomEmojiOperation = defineOperation({
  id: 'deactivate-custom-emoji',
  method: 'DELETE',
  path: '/realm/emoji/{emoji_name}',
  guard: 'user',
  summary: 'Deactivate a custom emoji; old messages and reactions keep it.',
  parameters: { emoji_name: declarePathTextParameter('Its name.') },
  run: ({ realm, params }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.emojiRemove,
      args: { name: params.emoji_name },
    }),
});

export const CUSTOM_EMOJI_OPERATIONS = [
  getCustomEmojiOperation,
  uploadCustomEmojiOperation,
  deactivateCustomEmojiOperation,
] as unknown as readonly ApiOperation[];
