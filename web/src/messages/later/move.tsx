import { useState } from 'preact/hooks';
import { core, formatFailureText } from '../../client/index.js';
import type { Message } from '../../contract/index.js';
import { Button, Dialog, openLayer, showToast, TextField } from '../../kit/index.js';
import { RadioGroup, Select, Toggle } from '../../kit-later/index.js';
import { t } from '../../text/index.js';
import { showFailureToast } from '../actions.js';

const RESOLVED_TOPIC_PREFIX = '✔ ';

type PropagateMode = 'change_one' | 'change_later' | 'change_all';

export const isTopicResolved = (topic: string): boolean => topic.startsWith(RESOLVED_TOPIC_PREFIX);

/** Whether the organization's policy lets the reader change topics, of own messages too. */
export const mayChangeTopics = (): boolean => core.state.me.isAllowedByPolicyNamed('edit_topic_policy');

const mayMoveBetweenStreams = (): boolean =>
  core.state.me.isAllowedByPolicyNamed('move_messages_between_streams_policy');

/** Whether policies let the reader move a message to another topic or stream. */
export const mayMoveMessage = ({ stream_id }: Message): boolean =>
  stream_id !== undefined && (mayChangeTopics() || mayMoveBetweenStreams());

/** Marks the topic as resolved or as open again, by its name. */
export async function toggleTopicResolved(message: Message): Promise<void> {
  const { id: message_id, subject } = message;
  const resolved = isTopicResolved(subject);
  const topic = resolved ? subject.slice(RESOLVED_TOPIC_PREFIX.length) : `${RESOLVED_TOPIC_PREFIX}${subject}`;
  try {
    await core.api.patch('/messages/{message_id}', {
      message_id,
      topic,
      propagate_mode: 'change_all',
      send_notification_to_old_thread: false,
    });
    showToast({ text: t(resolved ? 'message.unresolved' : 'message.resolved'), kind: 'success' });
  } catch (error) {
    showFailureToast(error);
  }
}

function MoveMessagesDialog({ message, onClose }: { readonly message: Message; readonly onClose: () => void }) {
  const { streams, realm } = core.state;
  const [stream, setStream] = useState(message.stream_id ?? 0);
  const [topic, setTopic] = useState(message.subject);
  const [mode, setMode] = useState<PropagateMode>('change_later');
  const [notifyOld, setNotifyOld] = useState(false);
  const [notifyNew, setNotifyNew] = useState(true);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState('');
  const list = streams.subscribedStreams.value.filter(
    ({ stream_id }) => stream_id === message.stream_id || mayMoveBetweenStreams(),
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
      title={t('message.move')}
      onClose={onClose}
      footer={
        <>
          <Button kind="quiet" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button kind="primary" busy={busy} disabled={!changed} onClick={() => void move()}>
            {t('message.move-action')}
          </Button>
        </>
      }
    >
      <div class="move-form">
        <Select
          label={t('message.move-stream')}
          value={stream}
          options={list.map(({ stream_id, name }) => ({ value: stream_id, label: name }))}
          onChange={setStream}
        />
        <TextField
          label={t('message.move-topic')}
          value={topic}
          onInput={setTopic}
          autofocus
          disabled={!mayChangeTopics()}
          error={failure}
          maxLength={realm.value.max_topic_length}
        />
        <RadioGroup
          label={t('message.move-which')}
          value={mode}
          options={[
            { value: 'change_one', label: t('message.move-one') },
            { value: 'change_later', label: t('message.move-later') },
            { value: 'change_all', label: t('message.move-all') },
          ]}
          onChange={setMode}
        />
        <Toggle label={t('message.move-notify-old')} checked={notifyOld} onChange={setNotifyOld} />
        <Toggle label={t('message.move-notify-new')} checked={notifyNew} onChange={setNotifyNew} />
      </div>
    </Dialog>
  );
}

export function openMoveDialog(message: Message): void {
  openLayer((done) => <MoveMessagesDialog message={message} onClose={done} />);
}
