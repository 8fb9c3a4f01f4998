/** From the terms of a narrow: which index to scan, what to test of each message, and whether history counts. */
import { dmKey, parseKey, type RealmId } from '../core/index.js';
import type { DirectoryUser, DirectoryView } from '../directory/index.js';
import type { MessageIndex } from '../store/index.js';
import { canReadHistory } from '../streams/index.js';
import type { Term } from './narrow.js';
import { type StoredMessage, streamConversation } from './stored.js';

export interface Plan {
  readonly index: MessageIndex;
  matches(message: StoredMessage): boolean;
  /** Streams whose messages count without a copy, or 'none'. */
  readonly history: 'none' | 'public' | { readonly stream: number };
}

const RESOLVED = '✔ ';

export const directConversation = (realm: RealmId, participants: readonly number[]): string =>
  `d${parseKey(dmKey(realm, participants as never)).rest}`;

function test(term: Term, directory: DirectoryView): (message: StoredMessage) => boolean {
  switch (term.is) {
    case 'stream':
      return ({ body }) => body.stream === term.stream;
    case 'public-streams':
      return ({ body }) => {
        const stream = body.stream === 0 ? undefined : directory.stream(body.stream as never);
        return stream !== undefined && !stream.inviteOnly && !stream.archived;
      };
    case 'topic':
      return ({ body }) => body.stream !== 0 && body.topic.toLowerCase() === term.topic;
    case 'sender':
      return ({ sender }) => sender === term.user;
    case 'conversation':
      return ({ body, participants }) =>
        body.stream === 0 &&
        participants.length === term.participants.length &&
        participants.every((id, i) => id === term.participants[i]);
    case 'direct-with':
      return ({ body, participants }) =>
        body.stream === 0 && participants.includes(term.user) && (!term.groupsOnly || participants.length > 2);
    case 'direct':
      return ({ body }) => body.stream === 0;
    case 'resolved':
      return ({ body }) => body.stream !== 0 && body.topic.startsWith(RESOLVED);
    case 'has':
      return ({ body }) => body.has[term.what];
    case 'id':
      return ({ id }) => id === term.id;
    case 'anything':
      return () => true;
  }
}

/** @param subscribed streams to which the caller is subscribed now */
export function makePlan(
  terms: readonly Term[],
  realm: RealmId,
  caller: DirectoryUser,
  directory: DirectoryView,
  subscribed: (stream: number) => boolean,
): Plan {
  const tests = terms.map((term) => ({ of: test(term, directory), negated: term.negated }));
  const positive = terms.filter((term) => !term.negated);
  const stream = positive.findLast((term) => term.is === 'stream');
  const topic = positive.find((term) => term.is === 'topic');
  const conversation = positive.find((term) => term.is === 'conversation');
  const sender = positive.find((term) => term.is === 'sender');
  const direct = positive.find((term) => term.is === 'direct-with' || term.is === 'direct');
  let index: MessageIndex = { by: 'realm' };
  if (conversation) index = { by: 'conversation', conversation: directConversation(realm, conversation.participants) };
  else if (stream && topic) {
    index = { by: 'topic', conversation: streamConversation(stream.stream), topicKey: topic.topic };
  } else if (stream) index = { by: 'conversation', conversation: streamConversation(stream.stream) };
  else if (direct) index = { by: 'participant', user: direct.is === 'direct-with' ? direct.user : caller.id };
  else if (sender) index = { by: 'sender', sender: sender.user };

  // An `is:` term restricts to messages that the user has (narrow.md § Base set).
  const personal = terms.some((term) => term.is === 'direct' || term.is === 'resolved');
  let history: Plan['history'] = 'none';
  if (!personal && stream) {
    const of = directory.stream(stream.stream);
    if (of && canReadHistory(caller, of, subscribed(of.id))) {
      history = { stream: of.id };
    }
  } else if (!personal && caller.role !== 600 && positive.some((term) => term.is === 'public-streams')) {
    history = 'public';
  }
  return { index, history, matches: (message) => tests.every(({ of, negated }) => of(message) !== negated) };
}
