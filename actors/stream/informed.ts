/** Receivers whose actors were informed of a conversation's missed messages. */
import { readUserSettingByUserId } from '#domain/people';
import type { UserId } from '#model';
import type { DirectoryView } from '#model/records';

/** Maximum number of receivers and topics that are remembered. */
const MAX_REMEMBERED_RECEIVER_TOPICS = 10_000;
/** Shortest batching period for which a receiver is remembered, ms. */
const MIN_REMEMBERED_BATCHING_PERIOD_MS = 20_000;

/** Maximum number of senders and topics whose mentions of everybody are remembered. */
const MAX_REMEMBERED_MENTIONS_OF_EVERYBODY = 1_000;

/** A message that mentions all subscribers, with the facts on which the choice of the notified ones depends. */
interface MentionOfEverybody {
  readonly sender: number;
  readonly topic: string;
  readonly membershipVersion: number;
  readonly directory: DirectoryView;
}

/** The time until which all subscribers whom a mention may notify are informed, with the facts at the mention. */
interface InformedSubscribers {
  readonly untilMs: number;
  readonly membershipVersion: number;
  readonly directory: DirectoryView;
  readonly usersVersion: number;
  readonly preferencesVersion: number;
}

/**
 * Memory of the receivers whose actors know that the conversation has missed messages. These actors look for further
 * messages when the batching period ends, so a command for each message is needless. The memory is lost with the
 * activation; a second command for a receiver changes nothing.
 */
export class MissedMessageNoticeMemory {
  readonly #informedUntilMsByReceiverAndTopic = new Map<string, number>();

  readonly #informedSubscribersBySenderAndTopic = new Map<string, InformedSubscribers>();

  /** True if the receiver was informed of the topic recently; otherwise records that a command is sent now. */
  wasInformedElseRecord(user: UserId, topic: string, directory: DirectoryView, now: number): boolean {
    const key = `${user}/${topic}`;
    if ((this.#informedUntilMsByReceiverAndTopic.get(key) ?? 0) > now) return true;
    const period = 1_000 * readUserSettingByUserId(directory, user, 'email_notifications_batching_period_seconds');
    if (period < MIN_REMEMBERED_BATCHING_PERIOD_MS) return false;
    if (this.#informedUntilMsByReceiverAndTopic.size >= MAX_REMEMBERED_RECEIVER_TOPICS)
      this.#informedUntilMsByReceiverAndTopic.clear();
    // Only half the batching period counts, because the clock of the receiver's host may differ.
    this.#informedUntilMsByReceiverAndTopic.set(key, now + period / 2);
    return false;
  }

  /** Returns the time until which the receiver counts as informed of the topic, ms; undefined: not remembered. */
  informedUntilMs(user: UserId, topic: string): number | undefined {
    return this.#informedUntilMsByReceiverAndTopic.get(`${user}/${topic}`);
  }

  /**
   * Records that all subscribers whom a mention of everybody may notify are informed. A further mention by the same
   * sender then needs no look at each subscriber, as long as subscribers, accounts and preferences stay the same.
   */
  recordAllSubscribersInformed(mention: MentionOfEverybody, untilMs: number): void {
    const { membershipVersion, directory } = mention;
    const { usersVersion, preferencesVersion } = directory;
    const known = this.#informedSubscribersBySenderAndTopic;
    if (known.size >= MAX_REMEMBERED_MENTIONS_OF_EVERYBODY) known.clear();
    const facts = { untilMs, membershipVersion, directory, usersVersion, preferencesVersion };
    known.set(`${mention.sender}/${mention.topic}`, facts);
  }

  /** True if no subscriber is to be informed of this mention of everybody. */
  areAllSubscribersInformed({ sender, topic, membershipVersion, directory }: MentionOfEverybody, now: number): boolean {
    const known = this.#informedSubscribersBySenderAndTopic.get(`${sender}/${topic}`);
    return (
      known !== undefined &&
      known.untilMs > now &&
      known.membershipVersion === membershipVersion &&
      known.directory === directory &&
      known.usersVersion === directory.usersVersion &&
      known.preferencesVersion === directory.preferencesVersion
    );
  }

  /** Empties the memory, because the outcome of a command was dropped. */
  clear(): void {
    this.#informedUntilMsByReceiverAndTopic.clear();
    this.#informedSubscribersBySenderAndTopic.clear();
  }
}
