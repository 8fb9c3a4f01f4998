import { useState } from 'preact/hooks';
import { core } from '../../client/index.js';
import { ApiFailure } from '../../core/index.js';
import { Button, Dialog, Field, openLayer, toast } from '../../kit/index.js';
import { formatDateTime, t } from '../../text/index.js';
import { type Composer, NO_TOPIC } from '../composer.js';
import { formatDateTimeField, listQuickChoices, parseDateTimeField, shiftMsForZoneDisplay } from './times.js';

const HOUR_MS = 3_600_000;

/** The zone of the user's settings, else that of the browser. */
function getUserTimeZone(): string {
  const wanted = core.state.me.settings.peek().timezone;
  try {
    return new Intl.DateTimeFormat('en', wanted ? { timeZone: wanted } : {}).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}

interface ScheduleProps {
  readonly composer: Composer;
  readonly onClose: () => void;
}

function ScheduleDialog({ composer, onClose }: ScheduleProps) {
  const zone = getUserTimeZone();
  const [now] = useState(core.platform.now());
  const [field, setField] = useState(formatDateTimeField(now + HOUR_MS, zone));
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const schedule = async (at: number | undefined) => {
    const to = composer.conversation.peek();
    if (at === undefined || at <= core.platform.now()) return setError(t('schedule.past'));
    if (!to || busy) return;
    setBusy(true);
    try {
      await core.api.post('/scheduled_messages', {
        ...('users' in to
          ? { type: 'direct', to: to.users }
          : { type: 'stream', to: to.stream, topic: to.topic || NO_TOPIC }),
        content: composer.text.peek().trimEnd(),
        scheduled_delivery_timestamp: Math.floor(at / 1000),
      });
      composer.clearAfterSending();
      onClose();
      composer.close();
      toast({
        text: t('schedule.done', { time: formatDateTime(shiftMsForZoneDisplay(at, zone)) }),
        kind: 'success',
        action: { label: t('schedule.list'), run: () => core.router.navigate({ view: 'scheduled' }) },
      });
    } catch (failure) {
      setBusy(false);
      setError(failure instanceof ApiFailure ? failure.message : t('error.unreachable'));
    }
  };
  return (
    <Dialog
      title={t('schedule.title')}
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
        {listQuickChoices(now, zone).map(({ choice, at }) => (
          <button key={choice} type="button" class="schedule-choice" onClick={() => void schedule(at)}>
            <span>{t(`schedule.${choice}`)}</span>
            <span class="schedule-time">{formatDateTime(shiftMsForZoneDisplay(at, zone))}</span>
          </button>
        ))}
        <Field
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
