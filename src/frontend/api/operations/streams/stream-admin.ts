/** Operations of the API that change and archive streams, and set default streams (streams.md). */
import { Type } from 'typebox';
import { MAX_STREAM_DESCRIPTION_CHARACTERS } from '#domain/streams';
import { realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import { defineOperation, forwardCommand } from '../../operation.js';
import {
  declareOptionalBooleanParameter,
  declareOptionalJsonParameter,
  declareOptionalTextParameter,
  declarePathIdParameter,
  declareRequiredFormIdParameter,
} from '../../parameters.js';

export const updateStreamOperation = defineOperation({
  id: 'update-stream',
  method: 'PATCH',
  path: '/streams/{stream_id}',
  // The guard admits all users. The handler refuses callers who are not administrators, because they get that refusal
  // only for streams that they can access.
  guard: 'user',
  summary: 'Change a stream: name, description, privacy, who may post.',
  parameters: {
    stream_id: declarePathIdParameter('The stream.'),
    description: {
      in: 'form',
      encoding: 'string',
      schema: Type.String({ maxLength: MAX_STREAM_DESCRIPTION_CHARACTERS }),
      required: false,
      description: 'Markdown; line breaks become blanks.',
    },
    is_private: declareOptionalBooleanParameter('form', 'Only who is subscribed has access.'),
    is_announcement_only: declareOptionalBooleanParameter(
      'form',
      'Older form of stream_post_policy: true = 2, false = 1.',
    ),
    stream_post_policy: declareOptionalJsonParameter(
      'form',
      Type.Enum([1, 2, 3, 4]),
      'Who may post, as when subscribing.',
    ),
    history_public_to_subscribers: declareOptionalBooleanParameter('form', 'New subscribers may read the past.'),
    is_web_public: declareOptionalBooleanParameter('form', 'Open to everybody on the web.'),
    new_name: declareOptionalTextParameter('form', 'New name.'),
    message_retention_days: declareOptionalJsonParameter(
      'form',
      Type.Union([Type.String(), Type.Integer()]),
      "Days, 'realm_default' or 'unlimited'.",
    ),
    can_remove_subscribers_group_id: declareOptionalJsonParameter(
      'form',
      Type.Integer(),
      'System group that may unsubscribe others.',
    ),
  },
  run({ params, realm, site, webPublicStreams }) {
    return forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.updateStream,
      args: {
        stream_id: params.stream_id,
        description: params.description ?? null,
        new_name: params.new_name ?? null,
        is_private: params.is_private ?? null,
        is_web_public: params.is_web_public ?? null,
        history_public_to_subscribers: params.history_public_to_subscribers ?? null,
        is_announcement_only: params.is_announcement_only ?? null,
        stream_post_policy: params.stream_post_policy ?? null,
        message_retention_days: params.message_retention_days ?? null,
        can_remove_subscribers_group_id: params.can_remove_subscribers_group_id ?? null,
        server_web_public: webPublicStreams,
        origin: site,
      },
    });
  },
});

export const archiveStreamOperation = defineOperation({
  id: 'archive-stream',
  method: 'DELETE',
  path: '/streams/{stream_id}',
  guard: 'user',
  summary: 'Archive a stream.',
  parameters: { stream_id: declarePathIdParameter('The stream.') },
  run: ({ params, realm }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.archiveStream,
      args: { stream_id: params.stream_id },
    }),
});

export const addDefaultStreamOperation = defineOperation({
  id: 'add-default-stream',
  method: 'POST',
  path: '/default_streams',
  guard: 'admin',
  summary: 'Subscribe new users to a stream.',
  parameters: { stream_id: declareRequiredFormIdParameter('The stream.') },
  run: ({ params, realm }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.setDefaultStream,
      args: { stream_id: params.stream_id, isDefault: true },
    }),
});

export const removeDefaultStreamOperation = defineOperation({
  id: 'remove-default-stream',
  method: 'DELETE',
  path: '/default_streams',
  guard: 'admin',
  summary: 'No longer subscribe new users to a stream.',
  parameters: { stream_id: declareRequiredFormIdParameter('The stream.') },
  run: ({ params, realm }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.setDefaultStream,
      args: { stream_id: params.stream_id, isDefault: false },
    }),
});
