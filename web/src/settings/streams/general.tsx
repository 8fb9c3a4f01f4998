import { core } from '../../client/index.js';
import { extractPlainText, makeStreamNarrow, type Stream } from '../../core/index.js';
import { Button } from '../../kit/index.js';
import { confirm, LATER_ICONS, RadioGroup } from '../../kit-later/index.js';
import { formatDate, t } from '../../text/index.js';
import { SettingRow } from '../parts/rows.js';
import { SavedMark, SavingError, useSavingState } from '../parts/saving.js';
import {
  encodeRetentionParameter,
  isStreamPostPolicy,
  MAX_STREAM_DESCRIPTION_LENGTH,
  MAX_STREAM_NAME_LENGTH,
  makeRemoverGroupOptions,
  makeRetentionOptions,
  makeStreamKindOption,
  POST_POLICY_CONTROL,
} from './fields.js';
import {
  findStreamKind,
  listCreatableStreamKinds,
  mayEditAnyStream,
  maySetStreamRetention,
  STREAM_KIND_FLAGS,
  type StreamKind,
} from './rights.js';

/** Name, description, kind and policies: to edit for administrators, to read for others. */
export function GeneralStreamTab({ stream }: { readonly stream: Stream }) {
  const { stream_id } = stream;
  const facts = (
    <p class="field-hint">
      {t('settings.stream-since', { date: formatDate(stream.date_created * 1000) })}{' '}
      <a href={core.router.formatHash({ view: 'narrow', narrow: makeStreamNarrow(stream_id) })}>
        {t('settings.view-messages')}
      </a>
    </p>
  );
  if (!mayEditAnyStream()) {
    return (
      <>
        <p>{extractPlainText(stream.rendered_description) || t('settings.no-description')}</p>
        <p>{t(`settings.kind.${findStreamKind(stream)}`)}</p>
        {facts}
      </>
    );
  }
  // Group and kind of a private stream are decided by those who are in it.
  const inside = !stream.invite_only || stream.membership === 'subscribed';
  return (
    <>
      <SettingRow
        control={{ kind: 'text', max: MAX_STREAM_NAME_LENGTH }}
        label={t('settings.name')}
        value={stream.name}
        save={(name) => core.api.patch('/streams/{stream_id}', { stream_id, new_name: String(name) })}
      />
      <SettingRow
        control={{ kind: 'area', max: MAX_STREAM_DESCRIPTION_LENGTH }}
        label={t('settings.description')}
        value={stream.description}
        save={(text) => core.api.patch('/streams/{stream_id}', { stream_id, description: String(text) })}
      />
      {inside && <StreamKindEntry stream={stream} />}
      <SettingRow
        control={POST_POLICY_CONTROL}
        label={t('settings.stream-post-policy')}
        value={stream.stream_post_policy}
        save={async (value) => {
          if (isStreamPostPolicy(value))
            await core.api.patch('/streams/{stream_id}', { stream_id, stream_post_policy: value });
        }}
      />
      {inside && (
        <SettingRow
          control={{ kind: 'choice', options: makeRemoverGroupOptions }}
          label={t('settings.stream-removers')}
          value={stream.can_remove_subscribers_group_id ?? null}
          save={(id) =>
            core.api.patch('/streams/{stream_id}', { stream_id, can_remove_subscribers_group_id: Number(id) })
          }
        />
      )}
      {maySetStreamRetention() && (
        <SettingRow
          control={{ kind: 'choice', options: makeRetentionOptions }}
          label={t('settings.retention')}
          value={encodeRetentionParameter(stream.message_retention_days)}
          save={(days) =>
            core.api.patch('/streams/{stream_id}', {
              stream_id,
              message_retention_days: typeof days === 'number' ? days : String(days),
            })
          }
        />
      )}
      {facts}
      <ArchiveStreamButton stream={stream} />
    </>
  );
}

function StreamKindEntry({ stream }: { readonly stream: Stream }) {
  const saving = useSavingState();
  const current = findStreamKind(stream);
  const kinds = [...new Set([current, ...listCreatableStreamKinds()])];
  const save = (kind: StreamKind) => {
    const { private: is_private, web, history } = STREAM_KIND_FLAGS[kind];
    return core.api.patch('/streams/{stream_id}', {
      stream_id: stream.stream_id,
      is_private,
      is_web_public: web,
      history_public_to_subscribers: history,
    });
  };
  return (
    <div class="setting">
      <RadioGroup
        label={t('settings.stream-kind')}
        value={current}
        options={STREAM_KIND_ORDER.filter((kind) => kinds.includes(kind)).map(makeStreamKindOption)}
        onChange={(kind) => void saving.runChange(() => save(kind))}
      />
      <SavingError saving={saving} />
      <SavedMark saving={saving} />
    </div>
  );
}

const STREAM_KIND_ORDER: readonly StreamKind[] = ['public', 'web-public', 'private-shared', 'private'];

function ArchiveStreamButton({ stream }: { readonly stream: Stream }) {
  const saving = useSavingState();
  const archive = async () => {
    const agreed = await confirm({
      title: t('settings.archive-name', { name: stream.name }),
      text: t('settings.archive-question'),
      confirmLabel: t('settings.archive'),
      danger: true,
    });
    if (!agreed) return;
    const done = await saving.runChange(() => core.api.delete('/streams/{stream_id}', { stream_id: stream.stream_id }));
    if (done) core.router.navigate({ view: 'streams', parts: ['all'] }, true);
  };
  return (
    <>
      <p>
        <Button kind="danger" icon={LATER_ICONS.trash} busy={saving.busy} onClick={() => void archive()}>
          {t('settings.archive')}
        </Button>
      </p>
      <SavingError saving={saving} />
    </>
  );
}
