/** Message objects as the API shows them (messages.md § Message object). */
import type { Json, JsonObject } from '#base';
import { makeEmojiApiFields } from '#domain/emoji';
import { avatarUrlOfUser } from '#domain/people';
import { toStreamId, toUserId } from '#model';
import type { DirectoryUser, DirectoryView } from '#model/records';
import type { StoredMessage, StoredReaction, StoredSubmessage } from '../stored/message.js';
import { formatEditFieldsForApi } from './edit-history.js';

/** All message flags, editable or not, in the order of the API. */
export const API_MESSAGE_FLAGS_IN_ORDER: readonly string[] = [
  'read',
  'starred',
  'collapsed',
  'mentioned',
  'wildcard_mentioned',
  'summarize_in_home',
  'summarize_in_stream',
  'force_expand',
  'force_collapse',
  'has_alert_word',
  'historical',
];

export const listKnownFlagsInApiOrder = (flags: Iterable<string>): string[] => {
  const set = new Set(flags);
  return API_MESSAGE_FLAGS_IN_ORDER.filter((flag) => set.has(flag));
};

/**
 * A message with all data that any kind of client may get: both forms of the content, and the avatar with a flag that
 * says whether the client may compute it. Log entries contain this form; `formatMessageForClientVariant` picks from it.
 */
export interface ClientNeutralMessage extends JsonObject {
  readonly common: JsonObject;
  readonly content: string;
  readonly html: string;
  readonly avatar: string;
  /** True if clients may compute the avatar's URL: the sender has no uploaded avatar, and a public address. */
  readonly gravatar: boolean;
}

/** The field `display_recipient`. @param stream 0 = a direct message */
export function formatDisplayRecipientForApi(
  stream: number,
  participants: readonly number[],
  directory: DirectoryView,
): Json {
  if (stream !== 0) return directory.stream(toStreamId(stream))?.name ?? '';
  const people = participants
    .map((id) => directory.user(toUserId(id)))
    .filter((user): user is DirectoryUser => user !== undefined)
    .map((user) => ({ id: user.id, email: user.email, full_name: user.fullName, is_mirror_dummy: false }));
  if (people.length <= 2) people.sort((a, b) => (a.email < b.email ? -1 : a.email > b.email ? 1 : 0));
  return people;
}

function formatReactionForApi(reaction: StoredReaction, directory: DirectoryView): JsonObject {
  const user = directory.user(toUserId(reaction.user));
  return {
    ...makeEmojiApiFields(reaction, directory),
    user_id: reaction.user,
    user: {
      id: reaction.user,
      email: user?.email ?? '',
      full_name: user?.fullName ?? '',
      is_mirror_dummy: false,
    },
  };
}

const formatSubmessageForApi = (message: number, { id, sender, type, content }: StoredSubmessage): JsonObject => ({
  id,
  message_id: message,
  sender_id: sender,
  msg_type: type,
  content,
});

/**
 * Fields of a message object that follow from the message alone: equal for all readers, whatever the directory says.
 */
export function readerIndependentMessageFields({ id, sender, body }: StoredMessage): Record<string, Json> {
  const fields: Record<string, Json> = {
    id,
    sender_id: sender,
    recipient_id: body.recipient,
    timestamp: body.sent,
    client: body.client,
    subject: body.topic,
    topic_links: body.topicLinks,
    is_me_message: body.content.startsWith('/me '),
    submessages: body.submessages?.map((one) => formatSubmessageForApi(id, one)) ?? [],
    type: body.stream === 0 ? 'private' : 'stream',
  };
  if (body.stream !== 0) fields.stream_id = body.stream;
  return fields;
}

/** Fields of a message object about its sender, except the avatar. */
export function messageSenderFields(sender: DirectoryUser | undefined, directory: DirectoryView): JsonObject {
  const fields: Record<string, Json> = {};
  addMessageSenderFields(fields, sender, directory);
  return fields;
}

function addMessageSenderFields(
  fields: Record<string, Json>,
  sender: DirectoryUser | undefined,
  directory: DirectoryView,
): void {
  fields.sender_full_name = sender?.fullName ?? '';
  fields.sender_email = sender?.email ?? '';
  fields.sender_realm_str = directory.subdomain;
}

/** Fields of a message object that change as users react to the message or edit it. */
export function formatMutableMessageFields({ body }: StoredMessage, directory: DirectoryView): JsonObject {
  const reactions = body.reactions?.map((reaction) => formatReactionForApi(reaction, directory)) ?? [];
  return body.edits
    ? { reactions, ...formatEditFieldsForApi(body, directory.settings.allow_edit_history) }
    : { reactions };
}

/** True if the sender has no uploaded avatar, and all users may see the sender's address. */
const mayClientComputeGravatar = (sender: DirectoryUser | undefined): boolean =>
  sender !== undefined && sender.avatarSource === 'G' && sender.emailVisibility === 1;

export function makeClientNeutralMessage(message: StoredMessage, directory: DirectoryView): ClientNeutralMessage {
  const { body } = message;
  const sender = directory.user(toUserId(message.sender));
  // Fields are added to one object: spreading it into another one takes 7 µs.
  const common = readerIndependentMessageFields(message);
  addMessageSenderFields(common, sender, directory);
  common.display_recipient = formatDisplayRecipientForApi(body.stream, message.participants, directory);
  const changes = formatMutableMessageFields(message, directory);
  for (const name in changes) common[name] = changes[name]!;
  const { avatar, gravatar } = senderAvatarFields(sender);
  return { common, content: body.content, html: body.html, avatar, gravatar };
}

export interface ClientMessageVariant {
  readonly applyMarkdown: boolean;
  readonly clientGravatar: boolean;
}

/** Index (0 to 3) of a variant in arrays with one entry per variant. */
export const indexOfClientMessageVariant = ({ applyMarkdown, clientGravatar }: ClientMessageVariant): number =>
  (applyMarkdown ? 2 : 0) + (clientGravatar ? 1 : 0);

/**
 * Fields of a message object that depend on the kind of client, except the content. @param avatar the sender's avatar
 */
export const clientMessageVariantFields = (
  { applyMarkdown, clientGravatar }: ClientMessageVariant,
  { avatar, gravatar }: Pick<ClientNeutralMessage, 'avatar' | 'gravatar'>,
): { readonly content_type: string; readonly avatar_url: string | null } => ({
  content_type: applyMarkdown ? 'text/html' : 'text/x-markdown',
  avatar_url: clientGravatar && gravatar ? null : avatar,
});

/** The avatar of a sender; '' if the sender is unknown. */
export const senderAvatarFields = (
  sender: DirectoryUser | undefined,
): Pick<ClientNeutralMessage, 'avatar' | 'gravatar'> => ({
  avatar: sender ? avatarUrlOfUser(sender) : '',
  gravatar: mayClientComputeGravatar(sender),
});

/** The message object for one kind of client. */
export function formatMessageForClientVariant(
  message: ClientNeutralMessage,
  options: ClientMessageVariant,
): JsonObject {
  return {
    ...message.common,
    content: options.applyMarkdown ? message.html : message.content,
    ...clientMessageVariantFields(options, message),
  };
}
