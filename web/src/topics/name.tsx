import { isTopicResolved, RESOLVED_TOPIC_PREFIX, type UnseenStream } from '../core/index.js';
import { Icon } from '../kit/index.js';
import { t } from '../text/index.js';

/** The name of a topic. The mark of a resolved one becomes an icon, and a word that screen readers alone get. */
export function TopicName({ topic, class: name }: { readonly topic: string; readonly class?: string }) {
  const resolved = isTopicResolved(topic);
  return (
    <>
      {resolved && <Icon name="resolved" size={16} />}
      <span class={name} data-cut="" dir="auto">
        {resolved ? topic.slice(RESOLVED_TOPIC_PREFIX.length) : topic}
      </span>
      {resolved && <span class="hidden">, {t('sidebar.resolved')}</span>}
    </>
  );
}

/** Name of a stream that the reader can't see. */
export function formatUnseenStreamName({ name, isArchived }: UnseenStream): string {
  return isArchived ? t('shell.archived-stream', { name }) : name;
}
