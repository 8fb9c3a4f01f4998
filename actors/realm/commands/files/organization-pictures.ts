/** Icon and logos of the organization (realm.md § Icon and logo). The frontend prepares and stores the pictures. */

import { successReply } from '#actors/shared';
import { isAdmin } from '#domain/people';
import { blobOfRealmPicture, presentRealmPicture, realmPictureOrDefaultUrl } from '#domain/pictures';
import type { realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { RealmPictureName, RealmPictures } from '#model/records';
import type { CommandContext } from '#runtime';
import { directoryLogItem, everyoneEventItem } from '../../log-items.js';
import { type ActorParts, encodeRecord, PICTURES_PART, picturesRecord, type RealmState } from '../../state.js';
import { requireActingUser } from '../callers.js';
import { type RealmCommand, SETTINGS_LANE } from '../command.js';
import { activateUpload, discardUploads, eraseBlobCommands, type UploadReplacement } from './pictures.js';

export const setRealmPictureHandler: RealmCommand<typeof realmCommands.setRealmPicture> = {
  lane: SETTINGS_LANE,
  handle({ state, parts }, { name, number }, _inputs, context) {
    if (!isAdmin(requireActingUser(parts, context.caller))) throw apiError('ADMIN_REQUIRED');
    const replaced = number === null ? discardUploads(parts, name) : activateUpload(parts, name, number);
    if (replaced) return change(state, parts, name, number ?? 0, replaced, context);
    return {
      reply: answer(state, picturesRecord(parts), name, context),
      commands: eraseBlobCommands(context.realm, [blobOfRealmPicture(name, number ?? 0)]),
    };
  },
};

const answer = (
  { subdomain }: RealmState,
  pictures: RealmPictures,
  name: RealmPictureName,
  { realm }: CommandContext,
  version?: number,
) =>
  // Only the reply for the icon has the picture's address. Clients get the address of a logo by the event.
  successReply(
    name === 'icon' ? { icon_url: realmPictureOrDefaultUrl({ realm, subdomain, pictures }, name) } : undefined,
    version,
  );

function change(
  state: RealmState,
  parts: ActorParts,
  name: RealmPictureName,
  number: number,
  { parts: written, gone }: UploadReplacement,
  context: CommandContext,
) {
  const { realm, version } = context;
  const before = picturesRecord(parts);
  const pictures: RealmPictures = { ...before, [name]: { number, version: (before[name]?.version ?? 1) + 1 } };
  const data = presentRealmPicture({ realm, subdomain: state.subdomain, pictures }, name);
  return {
    reply: answer(state, pictures, name, context, version),
    parts: { ...written, [PICTURES_PART]: encodeRecord(pictures) },
    events: [
      directoryLogItem({ pictures }),
      everyoneEventItem(version, { type: 'realm', op: 'update_dict', property: name, data }),
    ],
    commands: eraseBlobCommands(
      realm,
      gone.map((one) => blobOfRealmPicture(name, one)),
    ),
  };
}
