/** Receivers whose actors were informed of a conversation's missed messages. */
import { readUserSettingByUserId } from '#domain/people';
import type { UserId } from '#model';
import type { DirectoryUserPreferences, DirectoryView } from '#model/records';

/** Maximum number of receivers and topics that are remembered. */
const MAX_REMEMBERED_RECEIVER_TOPICS = 10_000;
/** Shortest batching period for which a receiver is remembered, ms. */
const MIN_REMEMBERED_BATCHING_PERIOD_MS = 20_000;
/**
 * Longest time for which a receiver is remembered whose actor may have refused the command. The stream's actor does not
 * hear if the user unmutes the stream or changes the subscription's settings; they count after this time.
 */
const MAX_REMEMBERED_UNCERTAIN_NOTICE_MS = 60_000;

/** Maximum number of senders and topics whose mentions of everybody are remembered. */
const MAX_REMEMBERED_MENTIONS_OF_EVERYBODY = 1_000;

/**
 * Strength of a message's claim to a mail. The receiver's actor records a direct message or a mention by name for
 * certain if the user gets such mails. An actor that refuses one of the others refuses the weaker ones, too: all of
 * them in a muted topic, and mentions of everybody perhaps by a setting of their own.
 */
export const NOTICE_STRENGTH = { topic: 0, wildcard: 1, alertWord: 2, personal: 3 } as const;
export type NoticeStrength = (typeof NOTICE_STRENGTH)[keyof typeof NOTICE_STRENGTH];

interface RememberedNotice {
  readonly untilMs: number;
  readonly strength: NoticeStrength;
  /** The receiver's settings when the command was sent. */
  readonly settings: DirectoryUserPreferences['settings'];
}

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
 * messages when the batching period ends, so a command for each message is needless. The actor may have refused the
 * command, so a stronger message needs one of its own. The memory is lost with the activation; a second command for a
 * receiver changes nothing.
 */
export class MissedMessageNoticeMemory {
  readonly #noticesByReceiverAndTopic = new Map<string, RememberedNotice>();

  readonly #informedSubscribersBySenderAndTopic = new Map<string, InformedSubscribers>();
  /** Wall time of the previous message, ms. */
  #lastNow = 0;

  /** Empties the memory if the clock was set back, because its times may then lie in the future. */
  forgetAllIfClockWasSetBack(now: number): void {
    if (now < this.#lastNow) this.clear();
    this.#lastNow = now;
  }

  /**
   * True if the receiver was recently informed of the topic, for a message at least as strong; otherwise records that a
   * command is sent now.
   * @param certain true if the receiver's actor cannot refuse the command
   */
  wasInformedElseRecord(
    user: UserId,
    topic: string,
    { strength, certain }: { readonly strength: NoticeStrength; readonly certain: boolean },
    directory: DirectoryView,
    now: number,
  ): boolean {
    if (this.informedUntilMs(user, topic, strength, directory) > now) return true;
    const period = 1_000 * readUserSettingByUserId(directory, user, 'email_notifications_batching_period_seconds');
    if (period < MIN_REMEMBERED_BATCHING_PERIOD_MS) return false;
    if (this.#noticesByReceiverAndTopic.size >= MAX_REMEMBERED_RECEIVER_TOPICS) this.#noticesByReceiverAndTopic.clear();
    // Only half the batching period counts, because the clock of the receiver's host may differ.
    const remembered = certain ? period / 2 : Math.min(period / 2, MAX_REMEMBERED_UNCERTAIN_NOTICE_MS);
    const { settings } = directory.preferencesOf(user);
    this.#noticesByReceiverAndTopic.set(`${user}/${topic}`, { untilMs: now + remembered, strength, settings });
    return false;
  }

  /** Returns the time until which the receiver needs no command for a message of this strength, ms; 0: none. */
  informedUntilMs(user: UserId, topic: string, strength: NoticeStrength, directory: DirectoryView): number {
    const known = this.#noticesByReceiverAndTopic.get(`${user}/${topic}`);
    if (!known || known.strength < strength) return 0;
    return known.settings === directory.preferencesOf(user).settings ? known.untilMs : 0;
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
    this.#noticesByReceiverAndTopic.clear();
    this.#informedSubscribersBySenderAndTopic.clear();
  }
}
