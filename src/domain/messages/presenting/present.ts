/** Message objects as the API shows them (messages.md § Message object). */
import type { Json, JsonObject } from '#base';
import { presentEmoji } from '#domain/emoji';
import { avatarUrl } from '#domain/people';
import { streamId, userId } from '#model';
import type { DirectoryUser, DirectoryView } from '#model/records';
import type { StoredMessage, StoredReaction, StoredSubmessage } from '../stored/message.js';
import { editFields } from './edit-history.js';

/** All flags there are, editable or not, in the order in which they are always listed. */
export const KNOWN_FLAGS: readonly string[] = [
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

export const orderFlags = (flags: Iterable<string>): string[] => {
  const set = new Set(flags);
  return KNOWN_FLAGS.filter((flag) => set.has(flag));
};

/**
 * A message with everything that each kind of client may get: both contents, and the avatar with a note whether the
 * client may compute it. `variant` picks from it.
 */
export interface NeutralMessage extends JsonObject {
  readonly common: JsonObject;
  readonly content: string;
  readonly html: string;
  readonly avatar: string;
  /** The sender never uploaded an avatar and everybody may know the address. */
  readonly gravatar: boolean;
}

/** @param stream 0 = a direct message */
export function displayRecipient(stream: number, participants: readonly number[], directory: DirectoryView): Json {
  if (stream !== 0) return directory.stream(streamId(stream))?.name ?? '';
  const people = participants
    .map((id) => directory.user(userId(id)))
    .filter((user): user is DirectoryUser => user !== undefined)
    .map((user) => ({ id: user.id, email: user.email, full_name: user.fullName, is_mirror_dummy: false }));
  if (people.length <= 2) people.sort((a, b) => (a.email < b.email ? -1 : a.email > b.email ? 1 : 0));
  return people;
}

function presentReaction(reaction: StoredReaction, directory: DirectoryView): JsonObject {
  const user = directory.user(userId(reaction.user));
  return {
    ...presentEmoji(reaction, directory),
    user_id: reaction.user,
    user: {
      id: reaction.user,
      email: user?.email ?? '',
      full_name: user?.fullName ?? '',
      is_mirror_dummy: false,
    },
  };
}

const presentSubmessage = (message: number, { id, sender, type, content }: StoredSubmessage): JsonObject => ({
  id,
  message_id: message,
  sender_id: sender,
  msg_type: type,
  content,
});

/** What is shown of a message to everybody and at any time: it follows from the message alone. */
export const constantFields = ({ id, sender, body }: StoredMessage): JsonObject => ({
  id,
  sender_id: sender,
  recipient_id: body.recipient,
  timestamp: body.sent,
  client: body.client,
  subject: body.topic,
  topic_links: body.topicLinks,
  is_me_message: body.content.startsWith('/me '),
  submessages: (body.submessages ?? []).map((one) => presentSubmessage(id, one)),
  type: body.stream === 0 ? 'private' : 'stream',
  ...(body.stream === 0 ? {} : { stream_id: body.stream }),
});

/** What is shown of its sender, but for the avatar. */
export const senderFields = (sender: DirectoryUser | undefined, directory: DirectoryView): JsonObject => ({
  sender_full_name: sender?.fullName ?? '',
  sender_email: sender?.email ?? '',
  sender_realm_str: directory.subdomain,
});

/** What changes with what people do about the message. */
export const changingFields = ({ body }: StoredMessage, directory: DirectoryView): JsonObject => ({
  reactions: (body.reactions ?? []).map((reaction) => presentReaction(reaction, directory)),
  ...editFields(body, directory.settings.allow_edit_history),
});

/** Everybody may know the address of who never uploaded an avatar. */
const isGravatar = (sender: DirectoryUser | undefined): boolean =>
  sender !== undefined && sender.avatarSource === 'G' && sender.emailVisibility === 1;

export function presentNeutral(message: StoredMessage, directory: DirectoryView): NeutralMessage {
  const { body } = message;
  const sender = directory.user(userId(message.sender));
  return {
    common: {
      ...constantFields(message),
      ...senderFields(sender, directory),
      display_recipient: displayRecipient(body.stream, message.participants, directory),
      ...changingFields(message, directory),
    },
    content: body.content,
    html: body.html,
    ...senderAvatar(sender),
  };
}

export interface MessageVariant {
  readonly applyMarkdown: boolean;
  readonly clientGravatar: boolean;
}

/** Place of a kind of client in what is kept for each of the four. */
export const variantIndex = ({ applyMarkdown, clientGravatar }: MessageVariant): number =>
  (applyMarkdown ? 2 : 0) + (clientGravatar ? 1 : 0);

/** What this kind of client shows besides the text itself. @param avatar of the sender */
export const variantFields = (
  { applyMarkdown, clientGravatar }: MessageVariant,
  { avatar, gravatar }: Pick<NeutralMessage, 'avatar' | 'gravatar'>,
): { readonly content_type: string; readonly avatar_url: string | null } => ({
  content_type: applyMarkdown ? 'text/html' : 'text/x-markdown',
  avatar_url: clientGravatar && gravatar ? null : avatar,
});

/** The avatar of a sender, who may be unknown. */
export const senderAvatar = (sender: DirectoryUser | undefined): Pick<NeutralMessage, 'avatar' | 'gravatar'> => ({
  avatar: sender ? avatarUrl(sender) : '',
  gravatar: isGravatar(sender),
});

/** The message object for one kind of client. */
export function presentVariant(message: NeutralMessage, options: MessageVariant): JsonObject {
  return {
    ...message.common,
    content: options.applyMarkdown ? message.html : message.content,
    ...variantFields(options, message),
  };
}
