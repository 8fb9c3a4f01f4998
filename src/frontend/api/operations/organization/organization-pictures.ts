/** Operations of the API for the icon and the logos of the organization (realm.md § Icon and logo). */
import { Type } from 'typebox';
import type { JsonObject } from '#base';
import {
  blobNameOfRealmPicture,
  MAX_UPLOADED_PICTURE_MIB,
  makeRealmIconImage,
  makeRealmLogoImage,
  realmPictureOrDefaultUrl,
} from '#domain/pictures';
import { realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import type { RealmPictureName } from '#model/records';
import { type ApiCall, type ApiOperation, defineOperation, forwardCommand } from '../../operation.js';
import { makeRedirectWithQuery } from '../../raw-answers.js';
import { getOnlyUploadedPictureOrThrow, storeUploadedPicture } from '../../store-picture.js';

const storeRealmPicture = (call: ApiCall<unknown>, name: RealmPictureName, png: Uint8Array): Promise<JsonObject> =>
  storeUploadedPicture(call, {
    picture: name,
    files: (number) => [[blobNameOfRealmPicture(name, number), png]],
    show: (number) =>
      forwardCommand({
        to: realmActorKey(call.realm),
        command: realmActorCommands.setRealmPicture,
        args: { name, number },
      }),
  });

const resetRealmPicture = ({ realm }: ApiCall<unknown>, name: RealmPictureName) =>
  forwardCommand({
    to: realmActorKey(realm),
    command: realmActorCommands.setRealmPicture,
    args: { name, number: null },
  });

const uploadIconOperation = defineOperation({
  id: 'upload-realm-icon',
  method: 'POST',
  path: '/realm/icon',
  guard: 'admin',
  takesFiles: true,
  summary: 'Change the icon of the organization.',
  parameters: {},
  async run(call) {
    const picture = getOnlyUploadedPictureOrThrow(call, 'ICON_ONE_FILE');
    const { icon_url } = await storeRealmPicture(call, 'icon', await makeRealmIconImage(picture.bytes()));
    return { fields: { icon_url: String(icon_url) } };
  },
});

const removeIconOperation = defineOperation({
  id: 'delete-realm-icon',
  method: 'DELETE',
  path: '/realm/icon',
  guard: 'admin',
  summary: 'Go back to the default icon.',
  parameters: {},
  run: (call) => resetRealmPicture(call, 'icon'),
});

const getIconOperation = defineOperation({
  id: 'get-realm-icon',
  method: 'GET',
  path: '/realm/icon',
  guard: 'user',
  summary: 'The icon of the organization: leads to its address.',
  parameters: {},
  run: ({ directory, query }) => makeRedirectWithQuery(realmPictureOrDefaultUrl(directory, 'icon'), query),
});

const night = <const I extends 'form' | 'query'>(where: I) =>
  ({
    in: where,
    encoding: 'json',
    schema: Type.Boolean(),
    required: true,
    description: 'That of the dark theme.',
  }) as const;

const logoOf = ({ night }: { readonly night: boolean }): RealmPictureName => (night ? 'night_logo' : 'logo');

const uploadLogoOperation = defineOperation({
  id: 'upload-realm-logo',
  method: 'POST',
  path: '/realm/logo',
  guard: 'admin',
  takesFiles: true,
  pictureMib: MAX_UPLOADED_PICTURE_MIB,
  summary: 'Change a logo of the organization.',
  parameters: { night: night('form') },
  async run(call) {
    const picture = getOnlyUploadedPictureOrThrow(call, 'LOGO_ONE_FILE');
    await storeRealmPicture(call, logoOf(call.params), await makeRealmLogoImage(picture.bytes()));
    return { fields: {} };
  },
});

const removeLogoOperation = defineOperation({
  id: 'delete-realm-logo',
  method: 'DELETE',
  path: '/realm/logo',
  guard: 'admin',
  summary: 'Go back to the default logo.',
  parameters: { night: night('form') },
  run: (call) => resetRealmPicture(call, logoOf(call.params)),
});

const getLogoOperation = defineOperation({
  id: 'get-realm-logo',
  method: 'GET',
  path: '/realm/logo',
  guard: 'user',
  summary: 'A logo of the organization: leads to its address.',
  parameters: { night: night('query') },
  run: ({ directory, query, params }) =>
    makeRedirectWithQuery(realmPictureOrDefaultUrl(directory, logoOf(params)), query),
});

export const ORGANIZATION_PICTURE_OPERATIONS = [
  uploadIconOperation,
  removeIconOperation,
  getIconOperation,
  uploadLogoOperation,
  removeLogoOperation,
  getLogoOperation,
] as unknown as readonly ApiOperation[];
