/** Incoming webhooks in Slack's format. The parts of a message are translated in `slack-message.ts`. */
import type { Json } from '#base';
import type { IntegrationMessage } from './integration.js';
import { lineOrEmpty, objectOrEmpty } from './payload.js';
import { convertSlackMessageToMarkdown } from './slack-message.js';
import type { SlackMentionLookups } from './slack-text.js';

const NO_TOPIC = '(no topic)';

/** Ids of a Slack workspace are unknown here. A mention of everybody becomes text, because many payloads have one. */
const NO_MENTIONS: SlackMentionLookups = { user: () => undefined, channel: () => undefined, everybody: '@all' };

export function makeMessageOfSlackPayload(payload: Json): IntegrationMessage | undefined {
  const message = objectOrEmpty(payload);
  const { content } = convertSlackMessageToMarkdown(message, NO_MENTIONS);
  if (content === '') return undefined;
  return { topic: lineOrEmpty(message.channel).replace(/^[#@]/, '').trim() || NO_TOPIC, content };
}
