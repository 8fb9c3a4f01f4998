/**
 * Notifications about messages that a user has missed: which message notifies, and for which reason.
 *
 * - `decide.ts`: from a message and one receiver to the reason for a mail and for a push.
 *
 * Invariants: bots, deactivated accounts and senders are never notified of a message. A mail is for users who are away;
 * a push is, too, unless the user wants it always. A mention by name notifies in muted streams and topics; everything
 * else there does not.
 *
 * Functions are pure. Importers: actors.
 */
export {
  decideMail,
  decidePush,
  isAway,
  type MessageReceiver,
  NOTIFICATION_TRIGGERS,
  type NotificationTrigger,
  type ReceivedMessage,
  type SubscriptionNotifications,
} from './decide.js';
