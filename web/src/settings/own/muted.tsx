import { core } from '../../client/index.js';
import { TOPIC_POLICY, topicNarrow } from '../../core/index.js';
import { Avatar, Empty, IconButton } from '../../kit/index.js';
import { formatDate, t } from '../../text/index.js';
import { Group } from '../parts/pages.js';
import { Refusal, useSaving } from '../parts/saving.js';

/** Muted users and topics. */
export function MutedPage() {
  const { muting, people, streams } = core.state;
  const saving = useSaving();
  const users = [...muting.users.value];
  const topics = [...muting.topics.value.values()].filter(
    ({ visibility_policy }) => visibility_policy === TOPIC_POLICY.muted,
  );
  return (
    <>
      <Refusal saving={saving} />
      <Group title={t('settings.muted-users')} hint={t('settings.muted-users-hint')}>
        {users.length === 0 ? (
          <Empty>{t('settings.no-muted-users')}</Empty>
        ) : (
          <ul class="rows">
            {users.map(([id, time]) => (
              <li key={id} class="row-line">
                <Avatar name={people.nameOf(id)} src={people.byId.value.get(id)?.avatar_url} id={id} size={28} />
                <span class="row-text">{people.nameOf(id)}</span>
                <span class="row-soft">{formatDate(time * 1000)}</span>
                <IconButton
                  icon="close"
                  label={t('settings.unmute', { name: people.nameOf(id) })}
                  onClick={() =>
                    void saving.run(() =>
                      core.api.delete('/users/me/muted_users/{muted_user_id}', { muted_user_id: id }),
                    )
                  }
                />
              </li>
            ))}
          </ul>
        )}
      </Group>
      <Group title={t('settings.muted-topics')}>
        {topics.length === 0 ? (
          <Empty>{t('settings.no-muted-topics')}</Empty>
        ) : (
          <ul class="rows">
            {topics.map(({ stream_id, topic_name }) => (
              <li key={`${stream_id} ${topic_name}`} class="row-line">
                <a
                  class="row-text"
                  href={core.router.hash({ view: 'narrow', narrow: topicNarrow(stream_id, topic_name) })}
                >
                  #{streams.nameOf(stream_id)} › {topic_name}
                </a>
                <IconButton
                  icon="close"
                  label={t('settings.unmute', { name: topic_name })}
                  onClick={() =>
                    void saving.run(() =>
                      core.api.post('/user_topics', {
                        stream_id,
                        topic: topic_name,
                        visibility_policy: TOPIC_POLICY.inherit,
                      }),
                    )
                  }
                />
              </li>
            ))}
          </ul>
        )}
      </Group>
    </>
  );
}
