import { batch } from '@preact/signals-core';
import type { Snapshot } from '../../contract/index.js';
import type { NarrowMatchFacts } from '../match.js';
import type { Narrow } from '../narrow.js';
import type { Platform } from '../ports.js';
import { ConversationsState } from './conversations.js';
import { CustomEmojiState } from './emoji.js';
import { MeState } from './me.js';
import { MutingState } from './muting.js';
import { OwnListsState } from './own.js';
import { PeopleState } from './people.js';
import { RealmState } from './realm.js';
import { StreamsState } from './streams.js';
import { TypingState } from './typing.js';
import { UnreadState } from './unread.js';

/** All that the client knows about its organization and user, apart from messages. */
export class ClientState {
  readonly realm = new RealmState();
  readonly people = new PeopleState();
  readonly me: MeState;
  readonly streams = new StreamsState();
  readonly muting = new MutingState(this.streams);
  readonly unread = new UnreadState(this.muting);
  readonly ownLists = new OwnListsState();
  readonly conversations = new ConversationsState();
  readonly emoji = new CustomEmojiState();
  readonly typing: TypingState;

  /** Own id, streams and mutes, for `matchesNarrow`. */
  readonly narrowMatchFacts: NarrowMatchFacts;

  constructor(platform: Platform) {
    this.me = new MeState(this.people, this.realm, () => platform.now());
    this.typing = new TypingState(platform);
    const { me, streams, muting } = this;
    this.narrowMatchFacts = {
      get ownUserId() {
        return me.userIdSignal.peek();
      },
      getStreamPrivacy: (id) => streams.getPrivacy(id),
      isTopicMuted: (stream, topic) => muting.isTopicMuted(stream, topic),
      isSubscribed: (id) => streams.isSubscribed(id),
    };
  }

  /** Whether the user can see the streams and people that the narrow names by id. Reads signals. */
  canSeePlacesOf(narrow: Narrow): boolean {
    return narrow.every(({ operator, operand }) => {
      if (operator === 'stream') return typeof operand !== 'number' || this.streams.byId.value.has(operand);
      if (operator !== 'sender' && operator !== 'dm' && operator !== 'dm-including') return true;
      const users = typeof operand === 'object' ? operand : [operand];
      return users.every((id) => typeof id !== 'number' || this.people.byId.value.has(id));
    });
  }

  loadFromSnapshot(snapshot: Snapshot): void {
    batch(() => {
      for (const slice of this.#savedSlices) slice.loadFromSnapshot(snapshot);
    });
  }

  /** The state as a snapshot: `loadFromSnapshot(makeSnapshot())` changes nothing. */
  makeSnapshot(): Snapshot {
    return Object.assign({}, ...this.#savedSlices.map((slice) => slice.makeSnapshotFields())) as Snapshot;
  }

  get #savedSlices() {
    const { realm, people, me, streams, muting, unread, ownLists, conversations, emoji } = this;
    return [realm, people, me, streams, muting, unread, ownLists, conversations, emoji];
  }
}
