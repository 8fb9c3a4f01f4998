/** Sending a message: to a stream, or to the participants of a direct-message conversation (messages.md). */
import { apiError } from '../../../src/api/errors.js';
import { type JsonObject, parseKey, realmKey, streamId, userId } from '../../../src/core/index.js';
import type { DirectoryUser, DirectoryView } from '../../../src/directory/index.js';
import { type Rendered, topicLinks } from '../../../src/markdown/index.js';
import {
  firstSubmessage,
  type MessageBody,
  neutral,
  recordOf,
  renderContext,
  type StoredMessage,
  type StoredSubmessage,
  streamConversation,
} from '../../../src/messages/index.js';
import { wildcardAllowed } from '../../../src/people/index.js';
import type { Audience, MessageItem, NeedsContext, Outcome, Suppliers } from '../../../src/runtime/index.js';
import { asMember, checkMayPost, isMember, MEMBER_PART } from '../../../src/streams/index.js';
import { success } from '../../shared/replies.js';
import type { StreamCommand } from '../command.js';
import type { StreamVolatile } from '../recent.js';
import type { StreamState } from '../state.js';
import { memberIds } from './members.js';

interface SendArgs extends JsonObject {
  /** Normalised by the frontend: trimmed, cut to the limit. */
  readonly content: string;
  /** Checked and cut by the frontend; '' for direct messages. */
  readonly topic: string;
  /** The sender's own copy is read: the client is one that a person looks at. */
  readonly human: boolean;
  readonly queue_id: string | null;
  readonly local_id: string | null;
  /** As sent. */
  readonly widget: string | null;
  /** Base URL under which the sender reached the organization. */
  readonly origin: string;
}

interface Prepared {
  readonly id: number;
  /** null: cannot be rendered. */
  readonly rendered: Rendered | null;
}

async function prepare(
  { content, origin }: SendArgs,
  { realm }: NeedsContext<StreamState, StreamVolatile>,
  suppliers: Suppliers,
): Promise<Prepared> {
  // Asked for first and at once: ids must come in the order in which commands arrived.
  const id = suppliers.messageId(realm);
  const rendered = suppliers
    .directory(realm)
    .then((directory) => suppliers.services.renderer.render(content, directory, origin));
  const both = await Promise.all([id, rendered]);
  return { id: both[0], rendered: both[1] };
}

/** More subscribers than this, and the organization decides who may wake them all (messages.md, check 16). */
const WILDCARD_FREE = 15;

export const send: StreamCommand<SendArgs, Prepared> = {
  creates: true,
  needs: prepare,
  handle({ state, parts }, args, { id, rendered }, context) {
    const { directory, key, caller, now } = context;
    const stream = directory.stream(streamId(Number(parseKey(key).rest)));
    if (!stream) throw apiError('STREAM_ID_DOES_NOT_EXIST', { stream_id: Number(parseKey(key).rest) });
    const sender = activeUser(directory, caller);
    const subscribed = (user: number): boolean => isMember(asMember(parts.get(`${MEMBER_PART}${user}`)));
    const owner = sender.botOwner === null ? undefined : directory.user(sender.botOwner);
    checkMayPost(
      {
        user: sender,
        subscribed: subscribed(caller),
        ...(owner ? { owner: { user: owner, subscribed: subscribed(owner.id) } } : {}),
      },
      stream,
      directory.settings,
      now,
    );
    if (directory.settings.mandatory_topics && args.topic === '(no topic)') throw apiError('TOPICS_REQUIRED');
    const text = finished(args, rendered, caller);
    if (text.rendered.mentions.wildcard && memberIds(parts).length > WILDCARD_FREE) {
      const policy = Number(directory.settings.wildcard_mention_policy);
      if (!wildcardAllowed(policy, sender, directory.settings, now)) throw apiError('WILDCARD_NOT_ALLOWED');
    }
    const first = stream.firstMessage === null && state.last === 0;
    const outcome = sent(state, args, context, {
      id,
      text,
      first,
      participants: [],
      recipient: stream.recipient,
      stream: stream.id,
      conversation: streamConversation(stream.id),
      flags: flagsAtCreation(args, caller, rendered, subscribed),
      to: { stream: stream.id, mv: state.mv, publicStream: !stream.inviteOnly, rv: directory.version },
    });
    if (!first) return outcome;
    const told = { to: realmKey(context.realm), name: 'first-message', args: { stream: stream.id, id }, caller: 0 };
    return { ...outcome, commands: [[told]] };
  },
};

interface DirectArgs extends SendArgs {
  /** Everybody in the conversation, the sender included, ascending. */
  readonly participants: readonly number[];
}

export const sendDirect: StreamCommand<DirectArgs, Prepared & { recipient: number }> = {
  creates: true,
  async needs(args, context, suppliers) {
    const known = context.view.state.recipient;
    const isGroup = args.participants.length > 2;
    const [prepared, recipient] = await Promise.all([
      prepare(args, context, suppliers),
      isGroup && known === 0
        ? suppliers.ask(realmKey(context.realm), 'group-recipient', { group: parseKey(context.key).rest })
        : known,
    ]);
    return { ...prepared, recipient: recipient as number };
  },
  handle({ state }, args, { id, rendered, recipient }, context) {
    const { directory, caller } = context;
    const sender = activeUser(directory, caller);
    const people = args.participants.map((user) => directory.user(userId(user)));
    const others = people.filter((user): user is DirectoryUser => user !== undefined && user.id !== caller);
    if (!args.participants.includes(caller)) throw apiError('NOT_AUTHORIZED_FOR_QUERY');
    checkDirectPolicy(sender, others, directory);
    const participants = state.participants.length > 0 ? state.participants : args.participants;
    return sent({ ...state, participants, recipient }, args, context, {
      id,
      text: finished(args, rendered, caller),
      participants,
      // One-to-one messages carry the receiver's recipient, so the two directions differ.
      recipient: participants.length > 2 ? recipient : (others[0] ?? sender).recipient,
      stream: 0,
      conversation: `d${parseKey(context.key).rest}`,
      flags: flagsAtCreation(args, caller, rendered, (user) => participants.includes(user)),
      to: { users: participants },
    });
  },
};

function activeUser(directory: DirectoryView, caller: number): DirectoryUser {
  const user = directory.user(userId(caller));
  if (!user?.isActive) throw apiError('ACCOUNT_DEACTIVATED');
  return user;
}

function checkDirectPolicy(sender: DirectoryUser, others: readonly DirectoryUser[], directory: DirectoryView): void {
  const toOneBot = others.length === 1 && others[0]?.botType !== null;
  if (directory.settings.private_message_policy === 2 && !toOneBot && sender.botType === null) {
    throw apiError('DIRECT_MESSAGES_DISABLED');
  }
  for (const user of others) if (!user.isActive) throw apiError('RECIPIENT_GONE', { email: user.email });
}

/** Checks 14 and 15 of messages.md § POST /messages. @throws ApiError */
function finished({ content, widget }: SendArgs, rendered: Rendered | null, sender: number): Finished {
  const submessage = firstSubmessage(content, widget, sender);
  if (rendered === null) throw apiError('CANNOT_RENDER');
  return { rendered, submessages: submessage ? [submessage] : [] };
}

/** Flags that single people get (messages.md § Flags at creation); a wildcard is everybody's and noted once. */
function flagsAtCreation(
  { human }: SendArgs,
  caller: number,
  rendered: Rendered | null,
  hasCopy: (user: number) => boolean,
): MessageBody['flags'] {
  const flags: Record<string, string[]> = {};
  if (human && hasCopy(caller)) flags[caller] = ['read'];
  for (const user of rendered?.mentions.users ?? []) {
    if (hasCopy(user)) flags[user] = [...(flags[user] ?? []), 'mentioned'];
  }
  return flags;
}

function linksOf({ topic, origin }: SendArgs, directory: DirectoryView): MessageBody['topicLinks'] {
  if (topic === '') return [];
  return topicLinks(topic, renderContext(directory, origin)).map(({ text, url }) => ({ text, url }));
}

interface Finished {
  readonly rendered: Rendered;
  readonly submessages: readonly StoredSubmessage[];
}

interface Placed {
  readonly id: number;
  readonly text: Finished;
  readonly first?: boolean;
  readonly participants: readonly number[];
  readonly recipient: number;
  readonly stream: number;
  readonly conversation: string;
  readonly flags: MessageBody['flags'];
  readonly to: Audience;
}

function sent(
  state: StreamState,
  args: SendArgs,
  { now, client, caller, directory }: { now: number; client: string; caller: number; directory: DirectoryView },
  placed: Placed,
): Outcome<StreamState> {
  const { rendered, submessages } = placed.text;
  const { id, conversation, participants, flags } = placed;
  const body: MessageBody = {
    content: args.content,
    html: rendered.html,
    topic: args.topic,
    sent: Math.floor(now / 1000),
    client,
    recipient: placed.recipient,
    stream: placed.stream,
    rev: 1,
    flags,
    wildcard: rendered.mentions.wildcard,
    topicLinks: linksOf(args, directory),
    has: { link: rendered.hasLink, image: rendered.hasImage },
    ...(submessages.length > 0 ? { submessages } : {}),
  };
  const message: StoredMessage = { id, sender: caller, participants, home: placed.stream, body };
  const item: MessageItem = {
    t: 'message',
    to: placed.to,
    message: neutral(message, directory),
    flags,
    ...(placed.first ? { first: true } : {}),
    ...(rendered.mentions.wildcard ? { wildcard: true } : {}),
    ...(args.queue_id !== null && args.local_id !== null ? { local: { queue: args.queue_id, id: args.local_id } } : {}),
  };
  return {
    reply: success({ id }),
    state: { ...state, last: id },
    messages: [{ id, rev: 1, record: recordOf(message, conversation) }],
    events: [item],
  };
}
