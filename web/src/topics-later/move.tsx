import { useState } from 'preact/hooks';
import { core, formatFailureText } from '../client/index.js';
import { Button, Dialog, openLayer, TextField } from '../kit/index.js';
import { RadioGroup, Select, Toggle, useLeftEntry } from '../kit-later/index.js';
import { t } from '../text/index.js';
import type { TopicMessage } from './newest.js';
import { mayChangeTopics, mayMoveBetweenStreams } from './rights.js';

type PropagateMode = 'change_one' | 'change_later' | 'change_all';

interface MoveDialogProps {
  readonly message: TopicMessage;
  /** Moves the topic of the message as a whole. */
  readonly isWholeTopic: boolean;
  readonly onClose: () => void;
}

function MoveDialog({ message, isWholeTopic, onClose }: MoveDialogProps) {
  const { streams, realm } = core.state;
  const [stream, setStream] = useState(message.stream_id ?? 0);
  const key = `${core.state.me.id} move ${message.id} ${isWholeTopic}`;
  const [topic, setTopic, keepTopic] = useLeftEntry(key, message.subject);
  const [mode, setMode] = useState<PropagateMode>(isWholeTopic ? 'change_all' : 'change_later');
  const [notifyOld, setNotifyOld] = useState(false);
  const [notifyNew, setNotifyNew] = useState(true);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState('');
  // A topic of a stream without a subscription can be renamed, too.
  const list = streams.allSortedByName.value.filter(
    ({ stream_id, membership }) =>
      stream_id === message.stream_id || (membership === 'subscribed' && mayMoveBetweenStreams()),
  );
  const move = async () => {
    setBusy(true);
    try {
      await core.api.patch('/messages/{message_id}', {
        message_id: message.id,
        ...(topic === message.subject ? {} : { topic }),
        ...(stream === message.stream_id ? {} : { stream_id: stream }),
        propagate_mode: mode,
        send_notification_to_old_thread: notifyOld,
        send_notification_to_new_thread: notifyNew,
      });
      onClose();
    } catch (error) {
      setFailure(formatFailureText(error));
      setBusy(false);
    }
  };
  const changed = stream !== message.stream_id || topic !== message.subject;
  return (
    <Dialog
      title={t(isWholeTopic ? 'topics.rename' : 'topics.move')}
      onClose={onClose}
      onLeave={() => {
        if (!busy) keepTopic();
        onClose();
      }}
      footer={
        <>
          <Button kind="quiet" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button kind="primary" busy={busy} disabled={!changed} onClick={() => void move()}>
            {t(isWholeTopic ? 'common.save' : 'topics.move-action')}
          </Button>
        </>
      }
    >
      <div class="move-form">
        <Select
          label={t('common.stream')}
          value={stream}
          options={list.map(({ stream_id, name }) => ({ value: stream_id, label: name }))}
          onChange={setStream}
        />
        <TextField
          label={t('common.topic')}
          value={topic}
          onInput={setTopic}
          autofocus
          disabled={!mayChangeTopics()}
          error={failure}
          maxLength={realm.value.max_topic_length}
        />
        {!isWholeTopic && (
          <RadioGroup
            label={t('topics.move-which')}
            value={mode}
            options={[
              { value: 'change_one', label: t('topics.move-one') },
              { value: 'change_later', label: t('topics.move-later') },
              { value: 'change_all', label: t('topics.move-all') },
            ]}
            onChange={setMode}
          />
        )}
        <Toggle label={t('topics.move-notify-old')} checked={notifyOld} onChange={setNotifyOld} />
        <Toggle label={t('topics.move-notify-new')} checked={notifyNew} onChange={setNotifyNew} />
      </div>
    </Dialog>
  );
}

/** Asks where a message, or messages after it, are to go. */
export function openMoveDialog(message: TopicMessage): void {
  openLayer((done) => <MoveDialog message={message} isWholeTopic={false} onClose={done} />);
}

/** Asks for another name or stream of the message's topic. */
export function openMoveTopicDialog(message: TopicMessage): void {
  openLayer((done) => <MoveDialog message={message} isWholeTopic onClose={done} />);
}
