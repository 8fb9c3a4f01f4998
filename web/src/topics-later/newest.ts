import { core } from '../client/index.js';
import type { Message } from '../contract/index.js';
import { makeMessagesParams, makeTopicNarrow } from '../core/index.js';
import { showToast } from '../kit/index.js';
import { t } from '../text/index.js';

/** A message of a topic, as far as changes of the topic need it. */
export type TopicMessage = Pick<Message, 'id' | 'stream_id' | 'subject'>;

/**
 * Does something with the newest message of a topic: the server moves a topic by one of its messages. A toast says that
 * a topic has no messages.
 */
export async function withNewestMessage(
  stream: number,
  topic: string,
  run: (message: TopicMessage) => unknown,
): Promise<void> {
  const params = makeMessagesParams(makeTopicNarrow(stream, topic), 'newest', 1, 0, core.state.me.id);
  const { messages } = await core.api.get('/messages', params);
  const newest = messages.at(-1);
  if (newest) await run(newest);
  else showToast({ text: t('messages.none') });
}
