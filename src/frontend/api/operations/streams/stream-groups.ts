/** Operations of the API for default stream groups (streams.md § Default stream groups). */
import { realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { defineOperation, forwardCommand } from '../../operation.js';
import {
  declareOptionalTextParameter,
  declarePathIdParameter,
  declareRequiredTextParameter,
} from '../../parameters.js';
import { declareStreamNamesParameter } from './streams.js';

const groupIdPathParameter = declarePathIdParameter('The group.');
const requiredStreamNamesParameter = { ...declareStreamNamesParameter('Streams, by name.'), required: true } as const;

export const createDefaultStreamGroupOperation = defineOperation({
  id: 'create-default-stream-group',
  method: 'POST',
  path: '/default_stream_groups/create',
  guard: 'admin',
  summary: 'Make a group of streams that new users are offered together.',
  parameters: {
    group_name: declareRequiredTextParameter('form', 'Its name, at most 60 characters.'),
    description: declareRequiredTextParameter('form', 'What it is for.'),
    stream_names: requiredStreamNamesParameter,
  },
  run: ({ params: { group_name: name, description, stream_names }, realm }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.createStreamGroup,
      args: { name, description, stream_names },
    }),
});

export const updateDefaultStreamGroupOperation = defineOperation({
  id: 'update-default-stream-group',
  method: 'PATCH',
  path: '/default_stream_groups/{group_id}',
  guard: 'admin',
  summary: 'Rename or describe a default stream group.',
  parameters: {
    group_id: groupIdPathParameter,
    new_group_name: declareOptionalTextParameter('form', 'New name.'),
    new_description: declareOptionalTextParameter('form', 'New description.'),
  },
  run({ params: { group_id, new_group_name, new_description }, realm }) {
    if (!new_group_name && !new_description) throw apiError('STREAM_GROUP_NOTHING');
    const args = { group_id, name: new_group_name ?? null, description: new_description ?? null };
    return forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.updateStreamGroup, args });
  },
});

export const editDefaultStreamGroupStreamsOperation = defineOperation({
  id: 'update-default-stream-group-streams',
  method: 'PATCH',
  path: '/default_stream_groups/{group_id}/streams',
  guard: 'admin',
  summary: 'Add streams to a default stream group, or take them out.',
  parameters: {
    group_id: groupIdPathParameter,
    op: declareRequiredTextParameter('form', "'add' or 'remove'."),
    stream_names: requiredStreamNamesParameter,
  },
  run: ({ params, realm }) =>
    forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.editStreamGroup, args: { ...params } }),
});

export const removeDefaultStreamGroupOperation = defineOperation({
  id: 'remove-default-stream-group',
  method: 'DELETE',
  path: '/default_stream_groups/{group_id}',
  guard: 'admin',
  summary: 'Remove a default stream group; its streams stay.',
  parameters: { group_id: groupIdPathParameter },
  run: ({ params: { group_id }, realm }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.removeStreamGroup,
      args: { group_id },
    }),
});

export const DEFAULT_STREAM_GROUP_OPERATIONS = [
  createDefaultStreamGroupOperation,
  updateDefaultStreamGroupOperation,
  editDefaultStreamGroupStreamsOperation,
  removeDefaultStreamGroupOperation,
];
