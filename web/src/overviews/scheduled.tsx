import { useState } from 'preact/hooks';
import { core, formatFailureText } from '../client/index.js';
import type { ScheduledMessage } from '../contract/index.js';
import { type Conversation, getOtherOrOwnUserIds } from '../core/index.js';
import { awaitOrToastError } from '../failures/index.js';
import {
  Button,
  Dialog,
  EmptyNotice,
  Icon,
  IconButton,
  openLayer,
  type RowFocusAttributes as RowAttributes,
  TextField,
  VirtualList,
} from '../kit/index.js';
import {
  confirmDeletion,
  formatDateTimeField,
  LATER_ICONS,
  parseDateTimeField,
  TextArea,
  useLeftEntry,
} from '../kit-later/index.js';
import { formatRelativeDay, formatTimeOfDay, resolveTimeZone, t } from '../text/index.js';
import { UNSENT_MESSAGE_ROW_HEIGHT_PX, UnsentMessageRow } from './note-row.js';
import { useRowKeyNavigation } from './walk.js';

function getScheduledConversation({ type, to, topic = '' }: ScheduledMessage): Conversation {
  const ids = typeof to === 'number' ? [to] : to;
  if (type === 'stream') return { stream: ids[0] ?? 0, topic };
  return { users: getOtherOrOwnUserIds(ids, core.state.me.userIdSignal.peek()) };
}

const deleteScheduledOrToastError = (id: number): Promise<boolean> =>
  awaitOrToastError(core.api.delete('/scheduled_messages/{scheduled_message_id}', { scheduled_message_id: id }));

/**
 * Deletes the scheduled message first: if its time comes meanwhile, the deletion is refused and it is not sent twice.
 */
async function deleteScheduledAndSendNow(one: ScheduledMessage): Promise<void> {
  if (await deleteScheduledOrToastError(one.scheduled_message_id))
    core.outbox.sendMessage(getScheduledConversation(one), one.content);
}

async function confirmAndDeleteScheduled(one: ScheduledMessage): Promise<void> {
  const agreed = await confirmDeletion(t('overviews.delete-scheduled'), one.content.slice(0, 200));
  if (agreed) await deleteScheduledOrToastError(one.scheduled_message_id);
}

/** Edits text and time, in the zone of the settings; the address can't be changed. */
function EditDialog({ one, onClose }: { readonly one: ScheduledMessage; readonly onClose: () => void }) {
  const zone = resolveTimeZone(core.state.me.settings.peek().timezone);
  const time = formatDateTimeField(one.scheduled_delivery_timestamp * 1000, zone);
  const key = `${core.state.me.userIdSignal.peek()} scheduled ${one.scheduled_message_id}`;
  const [value, setValue, keepValue] = useLeftEntry(`${key} time`, time);
  const [content, setContent, keepContent] = useLeftEntry(`${key} text`, one.content);
  const [errors, setErrors] = useState<{ readonly time?: string; readonly text?: string }>({});
  const [busy, setBusy] = useState(false);
  const isGone = !core.state.ownLists.scheduledNextFirst.value.some(
    ({ scheduled_message_id: id }) => id === one.scheduled_message_id,
  );
  const save = async () => {
    setErrors({});
    const isTimeChanged = value !== time;
    const at = parseDateTimeField(value, zone);
    if (isTimeChanged && !(at! > core.platform.now())) {
      setErrors({ time: t('overviews.time-past') });
      return;
    }
    setBusy(true);
    try {
      await core.api.patch('/scheduled_messages/{scheduled_message_id}', {
        scheduled_message_id: one.scheduled_message_id,
        ...(isTimeChanged ? { scheduled_delivery_timestamp: Math.floor(at! / 1000) } : {}),
        // A call without any change would be refused.
        ...(content === one.content && isTimeChanged ? {} : { content }),
      });
      onClose();
    } catch (failure) {
      const field = /delivery/.test(String(failure)) ? 'time' : 'text';
      setErrors({ [field]: formatFailureText(failure) });
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t('overviews.edit-scheduled')}
      onClose={onClose}
      onLeave={() => {
        if (!busy) keepValue();
        if (!busy) keepContent();
        onClose();
      }}
      footer={
        <>
          <Button kind="quiet" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button kind="primary" busy={busy} disabled={isGone} onClick={() => void save()}>
            {t('common.save')}
          </Button>
        </>
      }
    >
      {isGone && <p role="alert">{t('overviews.scheduled-gone')}</p>}
      <TextArea label={t('overviews.text')} rows={6} value={content} onInput={setContent} error={errors.text} />
      <TextField
        type="datetime-local"
        label={t('overviews.time')}
        hint={t('schedule.zone', { zone: zone.replaceAll('_', ' ') })}
        value={value}
        onInput={setValue}
        error={errors.time}
        autofocus
      />
    </Dialog>
  );
}

const openEditDialog = (one: ScheduledMessage) => openLayer((close) => <EditDialog one={one} onClose={close} />);

const getScheduledMessageId = ({ scheduled_message_id: id }: ScheduledMessage): number => id;
const getScheduledRowHeight = (): number => UNSENT_MESSAGE_ROW_HEIGHT_PX;

function ScheduledRow({ one, attributes }: { readonly one: ScheduledMessage; readonly attributes: RowAttributes }) {
  const at = one.scheduled_delivery_timestamp * 1000;
  return (
    <UnsentMessageRow
      target={getScheduledConversation(one)}
      content={one.content}
      details={
        one.failed ? (
          <span class="note-failed">
            <Icon name="warning" size={16} />
            {t('overviews.failed')}
          </span>
        ) : (
          <span data-at={at}>{`${formatRelativeDay(at)}, ${formatTimeOfDay(at)}`}</span>
        )
      }
      attributes={attributes}
      openLabel={t('overviews.edit-scheduled')}
      onOpen={() => openEditDialog(one)}
    >
      <IconButton icon="edit" label={t('overviews.edit-scheduled')} tabIndex={-1} onClick={() => openEditDialog(one)} />
      <IconButton
        icon="send"
        label={t('overviews.send-now')}
        tabIndex={-1}
        onClick={() => void deleteScheduledAndSendNow(one)}
      />
      <IconButton
        icon={LATER_ICONS.trash}
        label={t('overviews.delete-scheduled')}
        tabIndex={-1}
        onClick={() => void confirmAndDeleteScheduled(one)}
      />
    </UnsentMessageRow>
  );
}

/** Scheduled messages, the next one first. */
export function ScheduledView() {
  const walk = useRowKeyNavigation();
  const list = core.state.ownLists.scheduledNextFirst.value;
  if (list.length === 0) {
    return (
      <div class="overview-empty">
        <EmptyNotice icon="scheduled">{t('overviews.scheduled-empty')}</EmptyNotice>
      </div>
    );
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the buttons inside
    <div class="overview" ref={walk.ref} onKeyDown={walk.onKeyDown}>
      <VirtualList
        items={list}
        getItemKey={getScheduledMessageId}
        getItemHeightPx={getScheduledRowHeight}
        label={t('sidebar.scheduled')}
      >
        {(one, attributes) => <ScheduledRow one={one} attributes={attributes} />}
      </VirtualList>
    </div>
  );
}
