import type { ApiChange, RequestFields } from '../change.js';

/** Replaces the recipient type `channel` by its older name, `stream`. */
function nameRecipientTypeStream(fields: RequestFields): void {
  if (fields.get('type') === 'channel') fields.set('type', 'stream');
}

/** `channel` is the newer word for `stream`, as the recipient of a message. */
export const CHANNELS_AS_RECIPIENTS: ApiChange = {
  since: 248,
  summary: 'Messages, scheduled messages and typing notifications have the recipient type `channel`.',
  requests: {
    'send-message': nameRecipientTypeStream,
    'create-scheduled-message': nameRecipientTypeStream,
    'update-scheduled-message': nameRecipientTypeStream,
    'set-typing-status': nameRecipientTypeStream,
  },
};

/** Typing notifications have a parameter of their own for the stream, and the newer word for direct messages. */
export const RECIPIENTS_OF_TYPING: ApiChange = {
  since: 215,
  summary:
    'Typing notifications name their stream in `stream_id` instead of `to`; those of direct messages have the ' +
    '`message_type` direct.',
  requests: {
    'set-typing-status': (fields) => {
      // `to` stays a required parameter of the operation, which ignores it beside `stream_id`.
      if (fields.get('type') === 'stream' && fields.has('stream_id') && !fields.has('to')) fields.set('to', '[]');
    },
  },
  events: {
    typing: (event) => (event.message_type === 'private' ? { ...event, message_type: 'direct' } : event),
  },
};
