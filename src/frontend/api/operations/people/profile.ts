/** Operations of the API for custom profile fields of the organization (realm.md) and their values (users.md). */
import { Type } from 'typebox';
import { formatProfileFieldForApi } from '#domain/people';
import { realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import { checkParameterItemCount } from '#model/errors';
import { type ApiOperation, defineOperation, forwardCommand } from '../../operation.js';
import { declareBooleanParameterWithDefault, declarePathIdParameter } from '../../parameters.js';

const getProfileFieldsOperation = defineOperation({
  id: 'get-custom-profile-fields',
  method: 'GET',
  path: '/realm/profile_fields',
  guard: 'user',
  summary: 'Custom profile fields, by their order.',
  parameters: {},
  run: ({ directory }) => ({ fields: { custom_fields: directory.profileFields().map(formatProfileFieldForApi) } }),
});

const declareTextParameterWithEmptyDefault = (trim: boolean, description: string) =>
  ({
    in: 'form',
    encoding: 'string',
    schema: Type.String({ trim }),
    required: false,
    default: '',
    description,
  }) as const;

/** Maximum of options of a list field. Each option has three JSON values; the field has a few more. */
const MAX_LIST_FIELD_OPTIONS = 10_300;
const MAX_FIELD_DATA_JSON_VALUES = 3 * MAX_LIST_FIELD_OPTIONS + 100;

const profileFieldContentParameters = {
  name: declareTextParameterWithEmptyDefault(true, 'Label, at most 40 characters.'),
  hint: declareTextParameterWithEmptyDefault(false, 'Help text, at most 80 characters.'),
  field_data: {
    in: 'form',
    encoding: 'json',
    schema: Type.Record(Type.String(), Type.Union([Type.Record(Type.String(), Type.String()), Type.String()])),
    required: false,
    default: {} as Record<string, string | Record<string, string>>,
    maxValues: MAX_FIELD_DATA_JSON_VALUES,
    description: 'Options of a list, each with text and order; subtype and url_pattern of an external account.',
  },
  display_in_profile_summary: declareBooleanParameterWithDefault(
    'form',
    false,
    'Shown in the summary of a profile; for at most two fields.',
  ),
} as const;

const profileFieldIdPathParameter = { field_id: declarePathIdParameter('The field.') } as const;

interface ProfileFieldContentParams {
  readonly name: string;
  readonly hint: string;
  readonly field_data: Record<string, string | Record<string, string>>;
  readonly display_in_profile_summary: boolean;
}

/**
 * Makes the arguments of the commands. `field_data` travels as JSON text, because its keys are chosen by users.
 * @throws ApiError
 */
function makeProfileFieldContentArgs({ field_data, ...rest }: ProfileFieldContentParams) {
  checkParameterItemCount('field_data', Object.keys(field_data).length, MAX_LIST_FIELD_OPTIONS);
  return { ...rest, field_data: JSON.stringify(field_data) };
}

const createProfileFieldOperation = defineOperation({
  id: 'create-custom-profile-field',
  method: 'POST',
  path: '/realm/profile_fields',
  guard: 'admin',
  summary: 'Create a custom profile field.',
  parameters: {
    name: profileFieldContentParameters.name,
    hint: profileFieldContentParameters.hint,
    field_type: {
      in: 'form',
      encoding: 'json',
      schema: Type.Integer(),
      required: true,
      description:
        '1 short text, 2 long text, 3 list of options, 4 date, 5 link, 6 person picker, 7 external account, 8 pronouns.',
    },
    field_data: profileFieldContentParameters.field_data,
    display_in_profile_summary: profileFieldContentParameters.display_in_profile_summary,
  },
  run: ({ params: { field_type, ...rest }, realm }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.addProfileField,
      args: { field_type, ...makeProfileFieldContentArgs(rest) },
    }),
});

export const updateProfileFieldOperation = defineOperation({
  id: 'update-custom-profile-field',
  method: 'PATCH',
  path: '/realm/profile_fields/{field_id}',
  guard: 'admin',
  summary: 'Replace label, hint, data and place in the summary of a field.',
  parameters: { ...profileFieldIdPathParameter, ...profileFieldContentParameters },
  run: ({ params: { field_id, ...rest }, realm }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.updateProfileField,
      args: { field_id, ...makeProfileFieldContentArgs(rest) },
    }),
});

const reorderProfileFieldsOperation = defineOperation({
  id: 'reorder-custom-profile-fields',
  method: 'PATCH',
  path: '/realm/profile_fields',
  guard: 'admin',
  summary: 'Put the custom profile fields in another order.',
  parameters: {
    order: {
      in: 'form',
      encoding: 'json',
      schema: Type.Array(Type.Integer()),
      required: true,
      description: 'Ids of all fields.',
    },
  },
  run: ({ params, realm }) =>
    forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.orderProfileFields, args: { ...params } }),
});

export const removeProfileFieldOperation = defineOperation({
  id: 'remove-custom-profile-field',
  method: 'DELETE',
  path: '/realm/profile_fields/{field_id}',
  guard: 'admin',
  summary: 'Remove a custom profile field, with what people filled into it.',
  parameters: profileFieldIdPathParameter,
  run: ({ params, realm }) =>
    forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.removeProfileField, args: { ...params } }),
});

const noAdditionalProperties = { additionalProperties: false } as const;
const profileFieldValueSchema = Type.Union([Type.String(), Type.Array(Type.Integer())]);

const updateOwnProfileValuesOperation = defineOperation({
  id: 'update-profile-data',
  method: 'PATCH',
  path: '/users/me/profile_data',
  guard: 'human',
  summary: 'Fill in own profile fields.',
  parameters: {
    data: {
      in: 'form',
      encoding: 'json',
      schema: Type.Array(Type.Object({ id: Type.Integer(), value: profileFieldValueSchema }, noAdditionalProperties)),
      required: true,
      description: 'Fields and values; the value of a person picker is a list of user ids.',
    },
  },
  run: ({ params, realm }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.changeOwnProfile,
      args: { data: params.data },
    }),
});

const clearOwnProfileValuesOperation = defineOperation({
  id: 'remove-profile-data',
  method: 'DELETE',
  path: '/users/me/profile_data',
  guard: 'human',
  summary: 'Empty own profile fields.',
  parameters: {
    data: {
      in: 'form',
      encoding: 'json',
      schema: Type.Array(Type.Integer()),
      required: true,
      description: 'Ids of the fields.',
    },
  },
  run: ({ params, realm }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.clearOwnProfile,
      args: { data: params.data },
    }),
});

export const PROFILE_FIELD_AND_VALUE_OPERATIONS = [
  getProfileFieldsOperation,
  createProfileFieldOperation,
  updateProfileFieldOperation,
  reorderProfileFieldsOperation,
  removeProfileFieldOperation,
  updateOwnProfileValuesOperation,
  clearOwnProfileValuesOperation,
] as unknown as readonly ApiOperation[];
