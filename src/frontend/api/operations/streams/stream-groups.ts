/** Operations of the API for default stream groups (streams.md § Default stream groups). */
import { realmKey } from '#model';
import { realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { defineOperation, forwardCommand } from '../../operation.js';
import { optionalTextParameter, pathIdParameter, textParameter } from '../../parameters.js';
import { streamNamesParameter } from './streams.js';

const group_id = pathIdParameter('The group.');
const stream_names = { ...streamNamesParameter('Streams, by name.'), required: true } as const;

export const createStreamGroupOperation = defineOperation({
  id: 'create-default-stream-group',
  method: 'POST',
  path: '/default_stream_groups/create',
  guard: 'admin',
  summary: 'Make a group of streams that new users are offered together.',
  parameters: {
    group_name: textParameter('form', 'Its name, at most 60 characters.'),
    description: textParameter('form', 'What it is for.'),
    stream_names,
  },
  run: ({ params: { group_name: name, description, stream_names }, realm }) =>
    forwardCommand({
      to: realmKey(realm),
      command: realmCommands.createStreamGroup,
      args: { name, description, stream_names },
    }),
});

export const updateStreamGroupOperation = defineOperation({
  id: 'update-default-stream-group',
  method: 'PATCH',
  path: '/default_stream_groups/{group_id}',
  guard: 'admin',
  summary: 'Rename or describe a default stream group.',
  parameters: {
    group_id,
    new_group_name: optionalTextParameter('form', 'New name.'),
    new_description: optionalTextParameter('form', 'New description.'),
  },
  run({ params: { group_id, new_group_name, new_description }, realm }) {
    if (!new_group_name && !new_description) throw apiError('STREAM_GROUP_NOTHING');
    const args = { group_id, name: new_group_name ?? null, description: new_description ?? null };
    return forwardCommand({ to: realmKey(realm), command: realmCommands.updateStreamGroup, args });
  },
});

export const updateStreamGroupStreamsOperation = defineOperation({
  id: 'update-default-stream-group-streams',
  method: 'PATCH',
  path: '/default_stream_groups/{group_id}/streams',
  guard: 'admin',
  summary: 'Add streams to a default stream group, or take them out.',
  parameters: { group_id, op: textParameter('form', "'add' or 'remove'."), stream_names },
  run: ({ params, realm }) =>
    forwardCommand({ to: realmKey(realm), command: realmCommands.editStreamGroup, args: { ...params } }),
});

export const removeStreamGroupOperation = defineOperation({
  id: 'remove-default-stream-group',
  method: 'DELETE',
  path: '/default_stream_groups/{group_id}',
  guard: 'admin',
  summary: 'Remove a default stream group; its streams stay.',
  parameters: { group_id },
  run: ({ params: { group_id }, realm }) =>
    forwardCommand({
      to: realmKey(realm),
      command: realmCommands.removeStreamGroup,
      args: { group_id },
    }),
});

export const STREAM_GROUP_OPERATIONS = [
  createStreamGroupOperation,
  updateStreamGroupOperation,
  updateStreamGroupStreamsOperation,
  removeStreamGroupOperation,
];
