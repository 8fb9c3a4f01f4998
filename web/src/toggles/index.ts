/**
 * Toggles that show at the press, for views that share them:
 *
 *     topicPolicies.shown({ stream, topic })              what to show: the last press, or the state
 *     await topicPolicies.press({ stream, topic }, 1)     throws ApiFailure when the server refuses
 *
 * `pressed-values.ts` the mechanism, without the DOM · `streams.ts` subscriptions, their flags, policies of topics.
 */
export { PressedValues, type PressSource } from './pressed-values.js';
export {
  ACCOUNT_SETTING_BY_NOTIFICATION,
  isStreamNotification,
  type SubscriptionFlag,
  subscriptionFlags,
  subscriptions,
  topicPolicies,
} from './streams.js';
