/** Message contents with a unique key per write, and parsers that find the keys in events and stored messages. */
import { LAST_RESERVED_USER_ID } from '#domain/people';
import type { ReceivedEvent, StoredMessage } from './history.js';
import { directName } from './people.js';

export const sendKey = (n: number): string => `m${n}`;
export const editKey = (n: number): string => `e${n}`;
export const reactionKey = (message: number, user: number): string => `r${message}/${user}`;

export const EMOJI = 'octopus';

export const text = (key: string): string =>
  `${key} **the build** is green, see the [log](https://ci.example.com/4711)`;
export const edited = (of: string, key: string): string => `${text(of)} ${key}`;

const SEND = /^m\d+(?= )/;
const EDIT = / (e\d+)$/;

type Fields = Readonly<Record<string, unknown>>;

const conversationOf = (message: Fields): string =>
  message.type === 'stream'
    ? `s${message.stream_id}`
    : directName((message.display_recipient as readonly { id: number }[]).map(({ id }) => id));

const keyOf = (message: Fields): string | undefined =>
  (message.sender_id as number) > LAST_RESERVED_USER_ID ? SEND.exec(message.content as string)?.[0] : undefined;

/** Parses an event of a queue registered with `apply_markdown=false`. */
export function parseEvent(event: Fields): ReceivedEvent {
  const id = event.id as number;
  switch (event.type) {
    case 'message': {
      const message = event.message as Fields;
      const key = keyOf(message);
      return { id, key, kind: 'send', message: message.id as number, conversation: conversationOf(message) };
    }
    case 'update_message': {
      const message = event.message_id as number;
      const conversation = event.stream_id === undefined ? undefined : `s${event.stream_id}`;
      return { id, key: EDIT.exec((event.content as string) ?? '')?.[1], kind: 'edit', message, conversation };
    }
    case 'reaction': {
      const message = event.message_id as number;
      const key = reactionKey(message, event.user_id as number);
      return { id, key, kind: 'reaction', message, conversation: undefined };
    }
    default:
      return { id, key: undefined, kind: 'other', message: undefined, conversation: undefined };
  }
}

/** Parses a message of `GET /messages?apply_markdown=false`. */
export function parseMessage(message: Fields): StoredMessage {
  const edit = EDIT.exec(message.content as string)?.[1];
  const reactions = message.reactions as readonly { user_id: number }[];
  return {
    id: message.id as number,
    key: keyOf(message),
    conversation: conversationOf(message),
    changes: [
      ...(edit === undefined ? [] : [edit]),
      ...reactions.map(({ user_id }) => reactionKey(message.id as number, user_id)),
    ],
  };
}
