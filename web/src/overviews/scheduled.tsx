import { useState } from 'preact/hooks';
import { core } from '../client/index.js';
import type { ScheduledMessage } from '../contract/index.js';
import { ApiFailure, type Conversation, othersOf } from '../core/index.js';
import {
  Button,
  confirm,
  Dialog,
  Empty,
  Field,
  Icon,
  IconButton,
  openLayer,
  type Row as RowAttributes,
  toast,
  VirtualList,
} from '../kit/index.js';
import { formatDateTime, t } from '../text/index.js';
import { NOTE_HEIGHT, NoteRow } from './note-row.js';
import { useWalk } from './walk.js';

function targetOf({ type, to, topic = '' }: ScheduledMessage): Conversation {
  const ids = typeof to === 'number' ? [to] : to;
  if (type === 'stream') return { stream: ids[0] ?? 0, topic };
  return { users: othersOf(ids, core.state.me.userId.peek()) };
}

const textOf = (error: unknown): string => (error instanceof ApiFailure ? error.message : t('error.unreachable'));

async function remove(id: number): Promise<boolean> {
  try {
    await core.api.delete('/scheduled_messages/{scheduled_message_id}', { scheduled_message_id: id });
    return true;
  } catch (error) {
    toast({ text: textOf(error), kind: 'error' });
    return false;
  }
}

/** Deletes first: a message whose time comes meanwhile is refused here instead of sent twice. */
async function sendNow(one: ScheduledMessage): Promise<void> {
  if (await remove(one.scheduled_message_id)) core.outbox.send(targetOf(one), one.content);
}

async function askAndRemove(one: ScheduledMessage): Promise<void> {
  const agreed = await confirm({
    title: t('overviews.delete-scheduled'),
    text: one.content.slice(0, 200),
    action: t('common.delete'),
    danger: true,
  });
  if (agreed) await remove(one.scheduled_message_id);
}

/** The local time as a field of the type datetime-local writes it. */
function fieldValue(ms: number): string {
  const local = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

function TimeDialog({ one, onClose }: { readonly one: ScheduledMessage; readonly onClose: () => void }) {
  const [value, setValue] = useState(fieldValue(one.scheduled_delivery_timestamp * 1000));
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const save = async () => {
    const at = Date.parse(value);
    if (!(at > Date.now())) {
      setError(t('overviews.time-past'));
      return;
    }
    setBusy(true);
    try {
      await core.api.patch('/scheduled_messages/{scheduled_message_id}', {
        scheduled_message_id: one.scheduled_message_id,
        scheduled_delivery_timestamp: Math.floor(at / 1000),
      });
      onClose();
    } catch (failure) {
      setError(textOf(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t('overviews.edit-time')}
      size="small"
      onClose={onClose}
      footer={
        <>
          <Button kind="quiet" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button kind="primary" busy={busy} onClick={() => void save()}>
            {t('common.save')}
          </Button>
        </>
      }
    >
      <Field
        type="datetime-local"
        label={t('overviews.time')}
        value={value}
        onInput={setValue}
        error={error}
        autofocus
      />
    </Dialog>
  );
}

const editTime = (one: ScheduledMessage) => openLayer((close) => <TimeDialog one={one} onClose={close} />);

const keyOf = ({ scheduled_message_id: id }: ScheduledMessage): number => id;
const heightOf = (): number => NOTE_HEIGHT;

function ScheduledRow({ one, attributes }: { readonly one: ScheduledMessage; readonly attributes: RowAttributes }) {
  return (
    <NoteRow
      to={targetOf(one)}
      content={one.content}
      about={
        one.failed ? (
          <span class="note-failed">
            <Icon name="warning" size={16} />
            {t('overviews.failed')}
          </span>
        ) : (
          formatDateTime(one.scheduled_delivery_timestamp * 1000)
        )
      }
      attributes={attributes}
      label={t('overviews.edit-time')}
      onOpen={() => editTime(one)}
    >
      <IconButton icon="scheduled" label={t('overviews.edit-time')} tabIndex={-1} onClick={() => editTime(one)} />
      <IconButton icon="send" label={t('overviews.send-now')} tabIndex={-1} onClick={() => void sendNow(one)} />
      <IconButton
        icon="trash"
        label={t('overviews.delete-scheduled')}
        tabIndex={-1}
        onClick={() => void askAndRemove(one)}
      />
    </NoteRow>
  );
}

/** Messages that the server sends at their time, the next one first. */
export function ScheduledView() {
  const walk = useWalk();
  const list = core.state.own.scheduled.value;
  if (list.length === 0) {
    return (
      <div class="overview-empty">
        <Empty icon="scheduled">{t('overviews.scheduled-empty')}</Empty>
      </div>
    );
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the buttons inside
    <div class="overview" ref={walk.ref} onKeyDown={walk.onKeyDown}>
      <VirtualList items={list} keyOf={keyOf} heightOf={heightOf} label={t('sidebar.scheduled')}>
        {(one, attributes) => <ScheduledRow one={one} attributes={attributes} />}
      </VirtualList>
    </div>
  );
}
