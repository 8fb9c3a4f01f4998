/**
 * Integrations (users.md § Incoming webhooks): the payloads that other programs post, and the messages made of them.
 *
 * `table.ts` lists the integrations. Each has a function from a payload to a message, in `slack.ts` and `alerts.ts`.
 * `slack-message.ts` translates Slack's messages, in webhooks as in the import of a Slack export; `slack-text.ts` their
 * markup, and `slack-rich-text.ts` their rich text.
 *
 * Invariants: the functions have no side effects and never throw, whatever the payload is. They take time in proportion
 * to its size, which the operation bounds.
 */
export type { IncomingIntegration, IntegrationMessage } from './integration.js';
export { joinMarkdownBlocks } from './markdown-blocks.js';
export { findEmojiOfSlackName } from './slack-emoji.js';
export { withoutSlackFileTokens } from './slack-file-address.js';
export { convertSlackMessageToMarkdown } from './slack-message.js';
export {
  convertSlackTextToMarkdown,
  type SlackMentionedAccount,
  type SlackMentionLookups,
  unescapeSlackEntities,
} from './slack-text.js';
export { findIncomingIntegration, INCOMING_INTEGRATIONS } from './table.js';
