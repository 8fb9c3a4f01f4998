/**
 * Notifications about messages that a user has missed: which message notifies, and for which reason.
 *
 * - `decide.ts`: from a message and one receiver to the reason for a mail and for a push.
 * - `mail/`: the mail about a conversation's missed messages (`missed-mail.ts`), with the messages' HTML changed to a
 *   form that mail programs can show (`message-html.ts`).
 *   `login-mail.ts` is the mail about a log-in from a new device, `weekly-digest-mail.ts` the weekly digest.
 * - `weekly-digest/`: when the digest of a user is made (`schedule.ts`), and which topics it shows (`topics.ts`).
 * - `unsubscribe.ts`: signed links that end a kind of mail without a log-in.
 *
 * Invariants: a topic that the user follows notifies unless the user has turned that off.
 * Bots, deactivated accounts and senders are never notified of a message. A mail is for users who are away;
 * a push is, too, unless the user wants it always. A mention by name notifies in muted streams and topics; everything
 * else there does not. A link to unsubscribe only turns mails off.
 *
 * Functions are pure. Importers: actors, and operations of the frontend for links.
 */
export {
  decideMailNotificationTrigger,
  decidePushNotificationTrigger,
  doFollowedTopicsNotify,
  isUserAway,
  mayNotifyUser,
  NOTIFICATION_TRIGGERS,
  type NotificationCandidateMessage,
  type NotificationReceiver,
  type NotificationTrigger,
  type SubscriptionNotificationSettings,
} from './decide.js';
export { composeNewDeviceLoginMail, type LoginMailInput } from './mail/login-mail.js';
export type { MailReceiverLocale } from './mail/mail-time.js';
export { convertMailHtmlToText, convertMessageHtmlForMail } from './mail/message-html.js';
export {
  type ComposedNotificationMail,
  composeMissedMessagesMail,
  type MailContentWithheldReason,
  type MailedConversation,
  type MessageInMissedMail,
  type MissedMessagesMailInput,
  makeUrlOfMessageInConversation,
} from './mail/missed-mail.js';
export {
  composeWeeklyDigestMail,
  type MailedDigestTopic,
  type WeeklyDigestMailInput,
} from './mail/weekly-digest-mail.js';
export {
  makeUnsubscribeLink,
  SETTINGS_TURNED_OFF_BY_MAIL_KIND,
  type UnsubscribableMailKind,
  type UnsubscribeTokenContent,
  verifyUnsubscribeToken,
} from './unsubscribe.js';
export {
  DIGEST_WAVE_MS,
  type DigestWave,
  digestTimeOfDay,
  digestWeekdayOf,
  findDigestWave,
  INACTIVITY_BEFORE_DIGEST_MS,
  latestDigestDayStart,
  MAX_DIGEST_DELAY_MS,
  MIN_DIGEST_INTERVAL_MS,
  nextDigestWaveTime,
} from './weekly-digest/schedule.js';
export {
  chooseHottestTopics,
  type DigestMessage,
  type DigestTopic,
  MAX_DIGEST_TOPICS,
} from './weekly-digest/topics.js';
