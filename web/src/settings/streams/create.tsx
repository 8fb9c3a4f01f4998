import { useState } from 'preact/hooks';
import { core } from '../../client/index.js';
import { Button, Choices, Field, Select, TextArea, Toggle } from '../../kit/index.js';
import { t } from '../../text/index.js';
import { PeoplePicker } from '../parts/people-picker.js';
import { Refusal, useSaving } from '../parts/saving.js';
import {
  defaultRemovalGroup,
  isPostPolicy,
  kindOption,
  MAX_DESCRIPTION,
  MAX_STREAM_NAME,
  POST_POLICY,
  removalOptions,
  retentionOptions,
} from './fields.js';
import { KIND_FLAGS, kindsToCreate, maySetRetention, type StreamKind } from './rights.js';

const NO_STREAM = -1;

/** A new stream with all of its permissions and first subscribers. */
export function CreateStream() {
  const kinds = kindsToCreate();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [kind, setKind] = useState<StreamKind>(kinds[0] ?? 'public');
  const [post, setPost] = useState<1 | 2 | 3 | 4>(1);
  const [retention, setRetention] = useState<string>('realm_default');
  const [removers, setRemovers] = useState(String(defaultRemovalGroup()));
  const [people, setPeople] = useState<readonly number[]>([]);
  const [announce, setAnnounce] = useState(true);
  const saving = useSaving();
  const { me, realm, streams } = core.state;
  const taken = streams.named(name.trim()) !== undefined;
  const announced = (realm.value.realm_notifications_stream_id ?? NO_STREAM) !== NO_STREAM;
  const submit = async (event: Event) => {
    event.preventDefault();
    if (name.trim() === '') return saving.refuse(t('settings.stream-name-missing'));
    if (taken) return;
    const flags = KIND_FLAGS[kind];
    const made = await saving.run(() =>
      core.api.post('/users/me/subscriptions', {
        subscriptions: [{ name: name.trim(), description }],
        ...(people.length > 0 ? { principals: [me.id, ...people] } : {}),
        invite_only: flags.private,
        is_web_public: flags.web,
        history_public_to_subscribers: flags.history,
        stream_post_policy: post,
        can_remove_subscribers_group_id: Number(removers),
        announce: announced && announce && !flags.private,
        ...(maySetRetention() ? { message_retention_days: retentionNumber(retention) } : {}),
      }),
    );
    if (made) showNewStream(name.trim());
  };
  return (
    <form class="settings-form" onSubmit={(event) => void submit(event)}>
      <h2>{t('settings.create-stream')}</h2>
      <Field
        label={t('settings.stream-name')}
        value={name}
        maxLength={MAX_STREAM_NAME}
        onInput={setName}
        error={taken ? t('settings.stream-taken') : undefined}
      />
      <TextArea
        label={t('settings.description')}
        rows={2}
        value={description}
        maxLength={MAX_DESCRIPTION}
        onInput={setDescription}
      />
      <Choices label={t('settings.stream-kind')} value={kind} options={kinds.map(kindOption)} onChange={setKind} />
      {me.may('invite_to_stream_policy') && (
        <PeoplePicker label={t('settings.first-subscribers')} chosen={people} without={[me.id]} onChange={setPeople} />
      )}
      <Select
        label={t('settings.stream-post-policy')}
        value={post}
        options={POST_OPTIONS()}
        onChange={(value) => isPostPolicy(value) && setPost(value)}
      />
      <Select
        label={t('settings.stream-removers')}
        value={removers}
        options={removalOptions().map((one) => ({ value: String(one.value), label: one.label() }))}
        onChange={setRemovers}
      />
      {maySetRetention() && (
        <Select
          label={t('settings.retention')}
          value={retention}
          options={retentionOptions().map((one) => ({ value: String(one.value), label: one.label() }))}
          onChange={setRetention}
        />
      )}
      {announced && !KIND_FLAGS[kind].private && (
        <Toggle label={t('settings.announce')} checked={announce} onChange={setAnnounce} />
      )}
      <Refusal saving={saving} />
      <p class="settings-buttons">
        <Button kind="primary" type="submit" busy={saving.busy}>
          {t('settings.create')}
        </Button>
        <Button onClick={() => core.router.go({ view: 'streams', parts: ['all'] })}>{t('common.cancel')}</Button>
      </p>
    </form>
  );
}

const POST_OPTIONS = () =>
  POST_POLICY.kind === 'choice' && typeof POST_POLICY.options !== 'function'
    ? POST_POLICY.options.map((one) => ({ value: Number(one.value), label: one.label() }))
    : [];

const retentionNumber = (value: string): string | number => (/^\d+$/.test(value) ? Number(value) : value);

/** Goes to the new stream once its event has come. */
function showNewStream(name: string): void {
  const show = () => {
    const id = core.state.streams.named(name);
    if (id !== undefined) core.router.go({ view: 'streams', parts: [String(id), 'subscribers'] }, true);
    return id !== undefined;
  };
  if (show()) return;
  const end = core.listen('subscription/add', () => {
    if (show()) end();
  });
}
