import { core } from '../../client/index.js';
import { makeTopicNarrow, TOPIC_VISIBILITY_POLICY } from '../../core/index.js';
import { Avatar, EmptyNotice, IconButton } from '../../kit/index.js';
import { formatDate, t } from '../../text/index.js';
import { topicPolicies } from '../../toggles/index.js';
import { SettingsGroup } from '../parts/pages.js';
import { SavingError, useSavingState } from '../parts/saving.js';

/** Muted users and topics. */
export function MutedUsersAndTopicsPage() {
  const { muting, people, streams } = core.state;
  const saving = useSavingState();
  const users = [...muting.mutedAtByUserId.value];
  const topics = [...muting.policyByTopicKey.value.values()].filter(
    ({ stream_id: stream, topic_name: topic }) =>
      topicPolicies.shown({ stream, topic }) === TOPIC_VISIBILITY_POLICY.muted,
  );
  return (
    <>
      <SavingError saving={saving} />
      <SettingsGroup title={t('settings.muted-users')} hint={t('settings.muted-users-hint')}>
        {users.length === 0 ? (
          <EmptyNotice>{t('settings.no-muted-users')}</EmptyNotice>
        ) : (
          <ul class="rows">
            {users.map(([id, time]) => (
              <li key={id} class="row-line">
                <Avatar name={people.getFullName(id)} src={people.byId.value.get(id)?.avatar_url} id={id} size={28} />
                <span class="row-text">{people.getFullName(id)}</span>
                <span class="row-soft">{formatDate(time * 1000)}</span>
                <IconButton
                  icon="close"
                  label={t('settings.unmute', { name: people.getFullName(id) })}
                  onClick={() =>
                    void saving.runChange(() =>
                      core.api.delete('/users/me/muted_users/{muted_user_id}', { muted_user_id: id }),
                    )
                  }
                />
              </li>
            ))}
          </ul>
        )}
      </SettingsGroup>
      <SettingsGroup title={t('settings.muted-topics')}>
        {topics.length === 0 ? (
          <EmptyNotice>{t('settings.no-muted-topics')}</EmptyNotice>
        ) : (
          <ul class="rows">
            {topics.map(({ stream_id, topic_name }) => (
              <li key={`${stream_id} ${topic_name}`} class="row-line">
                <a
                  class="row-text"
                  href={core.router.formatHash({ view: 'narrow', narrow: makeTopicNarrow(stream_id, topic_name) })}
                >
                  #{streams.getStreamName(stream_id)} › {topic_name}
                </a>
                <IconButton
                  icon="close"
                  label={t('settings.unmute', { name: topic_name })}
                  onClick={() =>
                    void saving.runChange(() =>
                      topicPolicies.press({ stream: stream_id, topic: topic_name }, TOPIC_VISIBILITY_POLICY.inherit),
                    )
                  }
                />
              </li>
            ))}
          </ul>
        )}
      </SettingsGroup>
    </>
  );
}
