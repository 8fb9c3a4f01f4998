import { core } from '../../client/index.js';
import { Button, TextField } from '../../kit/index.js';
import { RadioGroup, Select, TextArea, Toggle } from '../../kit-later/index.js';
import { t } from '../../text/index.js';
import { useFormOverServerValues } from '../parts/form.js';
import { PeoplePicker } from '../parts/people-picker.js';
import { SavingError, useSavingState } from '../parts/saving.js';
import {
  findDefaultRemoverGroupId,
  isStreamPostPolicy,
  MAX_STREAM_DESCRIPTION_LENGTH,
  MAX_STREAM_NAME_LENGTH,
  makeRemoverGroupOptions,
  makeRetentionOptions,
  makeStreamKindOption,
  POST_POLICY_CONTROL,
} from './fields.js';
import { listCreatableStreamKinds, maySetStreamRetention, STREAM_KIND_FLAGS, type StreamKind } from './rights.js';

const NO_STREAM_ID = -1;

/** A new stream with all of its permissions and first subscribers. */
export function CreateStreamForm() {
  const kinds = listCreatableStreamKinds();
  const form = useFormOverServerValues(
    {
      name: '',
      description: '',
      kind: kinds[0] ?? ('public' as StreamKind),
      post: 1 as 1 | 2 | 3 | 4,
      retention: 'realm_default',
      removers: String(findDefaultRemoverGroupId()),
      people: [] as readonly number[],
      announce: true,
    },
    'new',
  );
  const { name, description, kind, post, retention, removers, people, announce } = form.values;
  const saving = useSavingState();
  const { me, realm, streams } = core.state;
  const taken = streams.findIdByName(name.trim()) !== undefined;
  const announced = (realm.value.realm_notifications_stream_id ?? NO_STREAM_ID) !== NO_STREAM_ID;
  const submit = async (event: Event) => {
    event.preventDefault();
    if (name.trim() === '') return saving.showError(t('settings.stream-name-missing'));
    if (taken) return;
    const flags = STREAM_KIND_FLAGS[kind];
    const made = await saving.runChange(() =>
      core.api.post('/users/me/subscriptions', {
        subscriptions: [{ name: name.trim(), description }],
        ...(people.length > 0 ? { principals: [me.id, ...people] } : {}),
        invite_only: flags.private,
        is_web_public: flags.web,
        history_public_to_subscribers: flags.history,
        stream_post_policy: post,
        can_remove_subscribers_group_id: Number(removers),
        announce: announced && announce && !flags.private,
        ...(maySetStreamRetention() ? { message_retention_days: parseRetentionChoice(retention) } : {}),
      }),
    );
    if (!made) return;
    form.reset();
    openStreamOnceCreated(name.trim());
  };
  return (
    <form class="settings-form" onSubmit={(event) => void submit(event)}>
      <h2>{t('settings.create-stream')}</h2>
      <TextField
        label={t('settings.name')}
        value={name}
        maxLength={MAX_STREAM_NAME_LENGTH}
        onInput={(text) => form.set('name', text)}
        error={taken ? t('settings.stream-taken') : undefined}
      />
      <TextArea
        label={t('settings.description')}
        rows={2}
        value={description}
        maxLength={MAX_STREAM_DESCRIPTION_LENGTH}
        onInput={(text) => form.set('description', text)}
      />
      <RadioGroup
        label={t('settings.stream-kind')}
        value={kind}
        options={kinds.map(makeStreamKindOption)}
        onChange={(value) => form.set('kind', value)}
      />
      {me.isAllowedByPolicyNamed('invite_to_stream_policy') && (
        <PeoplePicker
          label={t('settings.first-subscribers')}
          chosenIds={people}
          excludedIds={[me.id]}
          onChange={(ids) => form.set('people', ids)}
        />
      )}
      <Select
        label={t('settings.stream-post-policy')}
        value={post}
        options={makePostPolicyOptions()}
        onChange={(value) => isStreamPostPolicy(value) && form.set('post', value)}
      />
      <Select
        label={t('settings.stream-removers')}
        value={removers}
        options={makeRemoverGroupOptions().map((one) => ({ value: String(one.value), label: one.label() }))}
        onChange={(value) => form.set('removers', value)}
      />
      {maySetStreamRetention() && (
        <Select
          label={t('settings.retention')}
          value={retention}
          options={makeRetentionOptions().map((one) => ({ value: String(one.value), label: one.label() }))}
          onChange={(value) => form.set('retention', value)}
        />
      )}
      {announced && !STREAM_KIND_FLAGS[kind].private && (
        <Toggle label={t('settings.announce')} checked={announce} onChange={(on) => form.set('announce', on)} />
      )}
      <SavingError saving={saving} />
      <p class="settings-buttons">
        <Button kind="primary" type="submit" busy={saving.busy}>
          {t('settings.create')}
        </Button>
        <Button
          onClick={() => {
            form.reset();
            core.router.navigate({ view: 'streams', parts: ['all'] });
          }}
        >
          {t('common.cancel')}
        </Button>
      </p>
    </form>
  );
}

const makePostPolicyOptions = () =>
  POST_POLICY_CONTROL.kind === 'choice' && typeof POST_POLICY_CONTROL.options !== 'function'
    ? POST_POLICY_CONTROL.options.map((one) => ({ value: Number(one.value), label: one.label() }))
    : [];

const parseRetentionChoice = (value: string): string | number => (/^\d+$/.test(value) ? Number(value) : value);

/** Goes to the new stream once its event has come. */
function openStreamOnceCreated(name: string): void {
  const show = () => {
    const id = core.state.streams.findIdByName(name);
    if (id !== undefined) core.router.navigate({ view: 'streams', parts: [String(id), 'subscribers'] }, true);
    return id !== undefined;
  };
  if (show()) return;
  const end = core.listenToEvents('subscription/add', () => {
    if (show()) end();
  });
}
