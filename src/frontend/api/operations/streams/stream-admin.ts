/** Operations of the API that change and archive streams, and set default streams (streams.md). */
import { Type } from 'typebox';
import { MAX_DESCRIPTION_CHARACTERS } from '#domain/streams';
import { realmKey } from '#model';
import { realmCommands } from '#model/commands';
import { defineOperation, forwardCommand } from '../../operation.js';
import {
  formIdParameter,
  optionalFlagParameter,
  optionalJsonParameter,
  optionalTextParameter,
  pathIdParameter,
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
    stream_id: pathIdParameter('The stream.'),
    description: {
      in: 'form',
      encoding: 'string',
      schema: Type.String({ maxLength: MAX_DESCRIPTION_CHARACTERS }),
      required: false,
      description: 'Markdown; line breaks become blanks.',
    },
    is_private: optionalFlagParameter('form', 'Only who is subscribed has access.'),
    is_announcement_only: optionalFlagParameter('form', 'Older form of stream_post_policy: true = 2, false = 1.'),
    stream_post_policy: optionalJsonParameter('form', Type.Enum([1, 2, 3, 4]), 'Who may post, as when subscribing.'),
    history_public_to_subscribers: optionalFlagParameter('form', 'New subscribers may read the past.'),
    is_web_public: optionalFlagParameter('form', 'Open to everybody on the web.'),
    new_name: optionalTextParameter('form', 'New name.'),
    message_retention_days: optionalJsonParameter(
      'form',
      Type.Union([Type.String(), Type.Integer()]),
      "Days, 'realm_default' or 'unlimited'.",
    ),
    can_remove_subscribers_group_id: optionalJsonParameter(
      'form',
      Type.Integer(),
      'System group that may unsubscribe others.',
    ),
  },
  run({ params, realm, site, webPublicStreams }) {
    return forwardCommand({
      to: realmKey(realm),
      command: realmCommands.updateStream,
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
  parameters: { stream_id: pathIdParameter('The stream.') },
  run: ({ params, realm }) =>
    forwardCommand({
      to: realmKey(realm),
      command: realmCommands.archiveStream,
      args: { stream_id: params.stream_id },
    }),
});

export const addDefaultStreamOperation = defineOperation({
  id: 'add-default-stream',
  method: 'POST',
  path: '/default_streams',
  guard: 'admin',
  summary: 'Subscribe new users to a stream.',
  parameters: { stream_id: formIdParameter('The stream.') },
  run: ({ params, realm }) =>
    forwardCommand({
      to: realmKey(realm),
      command: realmCommands.setDefaultStream,
      args: { stream_id: params.stream_id, isDefault: true },
    }),
});

export const removeDefaultStreamOperation = defineOperation({
  id: 'remove-default-stream',
  method: 'DELETE',
  path: '/default_streams',
  guard: 'admin',
  summary: 'No longer subscribe new users to a stream.',
  parameters: { stream_id: formIdParameter('The stream.') },
  run: ({ params, realm }) =>
    forwardCommand({
      to: realmKey(realm),
      command: realmCommands.setDefaultStream,
      args: { stream_id: params.stream_id, isDefault: false },
    }),
});
