/** Operations of the API for the icon and the logos of the organization (realm.md § Icon and logo). */
import { Type } from 'typebox';
import type { JsonObject } from '#base';
import {
  blobNameOfRealmPicture,
  MAX_UPLOADED_PICTURE_MIB,
  makeRealmIconPng,
  makeRealmLogoPng,
  realmPictureOrDefaultUrl,
} from '#domain/pictures';
import { realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import type { RealmPictureName } from '#model/records';
import { type ApiCall, type ApiOperation, defineOperation, forwardCommand } from '../../operation.js';
import { makeRedirectWithQuery } from '../../raw-answers.js';
import { getOnlyUploadedPictureOrThrow, storeAndShowUploadedPicture } from '../../store-picture.js';

const storeAndShowRealmPicture = (
  call: ApiCall<unknown>,
  name: RealmPictureName,
  png: Uint8Array,
): Promise<JsonObject> =>
  storeAndShowUploadedPicture(call, {
    picture: name,
    files: (number) => [[blobNameOfRealmPicture(name, number), png]],
    show: (number) =>
      forwardCommand({
        to: realmActorKey(call.realm),
        command: realmActorCommands.setRealmPicture,
        args: { name, number },
      }),
  });

const makeResetRealmPictureCommand = ({ realm }: ApiCall<unknown>, name: RealmPictureName) =>
  forwardCommand({
    to: realmActorKey(realm),
    command: realmActorCommands.setRealmPicture,
    args: { name, number: null },
  });

const uploadRealmIconOperation = defineOperation({
  id: 'upload-realm-icon',
  method: 'POST',
  path: '/realm/icon',
  guard: 'admin',
  takesFiles: true,
  summary: 'Change the icon of the organization.',
  parameters: {},
  async run(call) {
    const picture = getOnlyUploadedPictureOrThrow(call, 'ICON_ONE_FILE');
    const { icon_url } = await storeAndShowRealmPicture(call, 'icon', await makeRealmIconPng(picture.bytes()));
    return { fields: { icon_url: String(icon_url) } };
  },
});

const resetRealmIconOperation = defineOperation({
  id: 'delete-realm-icon',
  method: 'DELETE',
  path: '/realm/icon',
  guard: 'admin',
  summary: 'Go back to the default icon.',
  parameters: {},
  run: (call) => makeResetRealmPictureCommand(call, 'icon'),
});

const redirectToRealmIconOperation = defineOperation({
  id: 'get-realm-icon',
  method: 'GET',
  path: '/realm/icon',
  guard: 'user',
  summary: 'The icon of the organization: leads to its address.',
  parameters: {},
  run: ({ directory, rawQuery }) => makeRedirectWithQuery(realmPictureOrDefaultUrl(directory, 'icon'), rawQuery),
});

const declareDarkThemeLogoParameter = <const I extends 'form' | 'query'>(where: I) =>
  ({
    in: where,
    encoding: 'json',
    schema: Type.Boolean(),
    required: true,
    description: 'That of the dark theme.',
  }) as const;

const logoNameByTheme = ({ night }: { readonly night: boolean }): RealmPictureName => (night ? 'night_logo' : 'logo');

const uploadRealmLogoOperation = defineOperation({
  id: 'upload-realm-logo',
  method: 'POST',
  path: '/realm/logo',
  guard: 'admin',
  takesFiles: true,
  pictureMib: MAX_UPLOADED_PICTURE_MIB,
  summary: 'Change a logo of the organization.',
  parameters: { night: declareDarkThemeLogoParameter('form') },
  async run(call) {
    const picture = getOnlyUploadedPictureOrThrow(call, 'LOGO_ONE_FILE');
    await storeAndShowRealmPicture(call, logoNameByTheme(call.params), await makeRealmLogoPng(picture.bytes()));
    return { fields: {} };
  },
});

const resetRealmLogoOperation = defineOperation({
  id: 'delete-realm-logo',
  method: 'DELETE',
  path: '/realm/logo',
  guard: 'admin',
  summary: 'Go back to the default logo.',
  parameters: { night: declareDarkThemeLogoParameter('form') },
  run: (call) => makeResetRealmPictureCommand(call, logoNameByTheme(call.params)),
});

const redirectToRealmLogoOperation = defineOperation({
  id: 'get-realm-logo',
  method: 'GET',
  path: '/realm/logo',
  guard: 'user',
  summary: 'A logo of the organization: leads to its address.',
  parameters: { night: declareDarkThemeLogoParameter('query') },
  run: ({ directory, rawQuery, params }) =>
    makeRedirectWithQuery(realmPictureOrDefaultUrl(directory, logoNameByTheme(params)), rawQuery),
});

export const ORGANIZATION_PICTURE_OPERATIONS = [
  uploadRealmIconOperation,
  resetRealmIconOperation,
  redirectToRealmIconOperation,
  uploadRealmLogoOperation,
  resetRealmLogoOperation,
  redirectToRealmLogoOperation,
] as unknown as readonly ApiOperation[];
