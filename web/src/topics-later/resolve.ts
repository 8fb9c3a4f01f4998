import { core } from '../client/index.js';
import { isTopicResolved, RESOLVED_TOPIC_PREFIX } from '../core/index.js';
import { awaitOrToastError } from '../failures/index.js';
import { showToast } from '../kit/index.js';
import { t } from '../text/index.js';
import type { TopicMessage } from './newest.js';

/** Marks the topic of the message as resolved or as open again, by its name. */
export async function toggleTopicResolved({ id: message_id, subject }: TopicMessage): Promise<void> {
  const resolved = isTopicResolved(subject);
  const topic = resolved ? subject.slice(RESOLVED_TOPIC_PREFIX.length) : `${RESOLVED_TOPIC_PREFIX}${subject}`;
  const change = core.api.patch('/messages/{message_id}', {
    message_id,
    topic,
    propagate_mode: 'change_all',
    send_notification_to_old_thread: false,
  });
  await awaitOrToastError(change, () =>
    showToast({ text: t(resolved ? 'topics.reopened' : 'topics.resolved'), kind: 'success' }),
  );
}
