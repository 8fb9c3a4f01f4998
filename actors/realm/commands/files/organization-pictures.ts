/** Icon and logos of the organization (realm.md § Icon and logo). The frontend prepares and stores the pictures. */

import { makeSuccessReply } from '#actors/shared';
import { isAdminOrOwner } from '#domain/people';
import { blobNameOfRealmPicture, formatRealmPictureFieldsForApi, realmPictureOrDefaultUrl } from '#domain/pictures';
import type { realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { RealmPictureName, RealmPictures } from '#model/records';
import type { CommandContext } from '#runtime';
import { makeDirectoryLogItem, makeEveryoneEventLogItem } from '../../log-items.js';
import {
  type ActorParts,
  encodeDirectoryRecord,
  REALM_PICTURES_PART_NAME,
  type RealmActorState,
  readRealmPicturesRecord,
} from '../../state.js';
import { getActingUserOrThrow } from '../callers.js';
import { NO_INPUT_COMMAND_LANE, type RealmCommandHandler } from '../command.js';
import {
  makeEraseBlobsCommands,
  makePictureUploadActivation,
  makePictureUploadsDiscard,
  type PictureUploadChange,
} from './pictures.js';

export const setOrClearRealmPictureHandler: RealmCommandHandler<typeof realmActorCommands.setRealmPicture> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ state, parts }, { name, number }, _inputs, context) {
    if (!isAdminOrOwner(getActingUserOrThrow(parts, context.caller))) throw apiError('ADMIN_REQUIRED');
    const replaced =
      number === null ? makePictureUploadsDiscard(parts, name) : makePictureUploadActivation(parts, name, number);
    if (replaced) return makeRealmPictureChangeOutcome(state, parts, name, number ?? 0, replaced, context);
    return {
      reply: makeRealmPictureReply(state, readRealmPicturesRecord(parts), name, context),
      commands: makeEraseBlobsCommands(context.realm, [blobNameOfRealmPicture(name, number ?? 0)]),
    };
  },
};

const makeRealmPictureReply = (
  { subdomain }: RealmActorState,
  pictures: RealmPictures,
  name: RealmPictureName,
  { realm }: CommandContext,
  version?: number,
) =>
  // Only the reply for the icon has the picture's address. Clients get the address of a logo by the event.
  makeSuccessReply(
    name === 'icon' ? { icon_url: realmPictureOrDefaultUrl({ realm, subdomain, pictures }, name) } : undefined,
    version,
  );

function makeRealmPictureChangeOutcome(
  state: RealmActorState,
  parts: ActorParts,
  name: RealmPictureName,
  number: number,
  { parts: written, obsoleteUploadNumbers }: PictureUploadChange,
  context: CommandContext,
) {
  const { realm, version } = context;
  const before = readRealmPicturesRecord(parts);
  const pictures: RealmPictures = { ...before, [name]: { number, version: (before[name]?.version ?? 1) + 1 } };
  const data = formatRealmPictureFieldsForApi({ realm, subdomain: state.subdomain, pictures }, name);
  return {
    reply: makeRealmPictureReply(state, pictures, name, context, version),
    parts: { ...written, [REALM_PICTURES_PART_NAME]: encodeDirectoryRecord(pictures) },
    events: [
      makeDirectoryLogItem({ pictures }),
      makeEveryoneEventLogItem(version, { type: 'realm', op: 'update_dict', property: name, data }),
    ],
    commands: makeEraseBlobsCommands(
      realm,
      obsoleteUploadNumbers.map((one) => blobNameOfRealmPicture(name, one)),
    ),
  };
}
