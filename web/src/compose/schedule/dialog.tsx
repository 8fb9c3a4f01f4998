import { useState } from 'preact/hooks';
import { core, formatFailureText } from '../../client/index.js';
import { Button, Dialog, openLayer, showToast, TextField } from '../../kit/index.js';
import { formatDateTimeField, listFutureQuickChoices, parseDateTimeField } from '../../kit-later/index.js';
import { formatFullDateTime, resolveTimeZone, t } from '../../text/index.js';
import { type Composer, NO_TOPIC_NAME } from '../composer.js';

const HOUR_MS = 3_600_000;

interface ScheduleDialogProps {
  readonly composer: Composer;
  readonly onClose: () => void;
}

function ScheduleDialog({ composer, onClose }: ScheduleDialogProps) {
  const zone = resolveTimeZone(core.state.me.settings.peek().timezone);
  const [now] = useState(core.platform.now());
  const [field, setField] = useState(formatDateTimeField(now + HOUR_MS, zone));
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const schedule = async (at: number | undefined) => {
    const to = composer.targetConversation.peek();
    if (at === undefined || at <= core.platform.now()) return setError(t('schedule.past'));
    if (!to || busy) return;
    setBusy(true);
    try {
      await core.api.post('/scheduled_messages', {
        ...('users' in to
          ? { type: 'direct', to: to.users }
          : { type: 'stream', to: to.stream, topic: to.topic || NO_TOPIC_NAME }),
        content: composer.text.peek().trimEnd(),
        scheduled_delivery_timestamp: Math.floor(at / 1000),
      });
      composer.clearAfterSending();
      onClose();
      composer.resetToViewedConversation();
      showToast({
        text: t('schedule.done', { time: formatFullDateTime(at) }),
        kind: 'success',
        action: { label: t('schedule.list'), run: () => core.router.navigate({ view: 'scheduled' }) },
      });
    } catch (failure) {
      setBusy(false);
      setError(formatFailureText(failure));
    }
  };
  return (
    <Dialog
      title={t('compose.schedule')}
      size="small"
      onClose={onClose}
      footer={
        <>
          <Button kind="quiet" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button kind="primary" busy={busy} onClick={() => void schedule(parseDateTimeField(field, zone))}>
            {t('schedule.send')}
          </Button>
        </>
      }
    >
      <div class="schedule">
        {listFutureQuickChoices(now, zone).map(({ choice, at }) => (
          <button key={choice} type="button" class="schedule-choice" onClick={() => void schedule(at)}>
            <span>{t(`schedule.${choice}`)}</span>
            <span class="schedule-time">{formatFullDateTime(at)}</span>
          </button>
        ))}
        <TextField
          type="datetime-local"
          label={t('schedule.time')}
          hint={t('schedule.zone', { zone: zone.replaceAll('_', ' ') })}
          value={field}
          onInput={(value) => {
            setError(undefined);
            setField(value);
          }}
          error={error}
        />
      </div>
    </Dialog>
  );
}

/** Asks for a time and schedules the text of the box. */
export function openSchedule(composer: Composer): void {
  openLayer((close) => <ScheduleDialog composer={composer} onClose={close} />);
}
