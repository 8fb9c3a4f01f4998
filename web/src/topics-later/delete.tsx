import { useEffect, useRef, useState } from 'preact/hooks';
import { core, formatFailureText } from '../client/index.js';
import { Button, Dialog, Icon, openLayer, showToast } from '../kit/index.js';
import { t } from '../text/index.js';

interface DeleteTopicProps {
  readonly stream: number;
  readonly topic: string;
}

/** Deletes all messages of a topic. The server stops a long deletion after 50 s, and goes on when it is asked again. */
async function deleteInBatches({ stream, topic }: DeleteTopicProps): Promise<void> {
  const params = { stream_id: stream, topic_name: topic };
  let isComplete = false;
  while (!isComplete) {
    const { result } = await core.api.post('/streams/{stream_id}/delete_topic', params);
    isComplete = result === 'success';
  }
}

/** The question before the deletion. Closing the dialog does not end a deletion; a toast then says a refusal. */
function DeleteTopicDialog({ onClose, ...place }: DeleteTopicProps & { readonly onClose: () => void }) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState('');
  const isShown = useRef(true);
  useEffect(
    () => () => {
      isShown.current = false;
    },
    [],
  );
  const remove = async () => {
    setBusy(true);
    setFailure('');
    try {
      await deleteInBatches(place);
      showToast({ text: t('topics.deleted'), kind: 'success' });
      if (isShown.current) onClose();
    } catch (error) {
      const text = formatFailureText(error);
      if (!isShown.current) showToast({ text, kind: 'error' });
      setFailure(text);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t('topics.delete-title')}
      size="small"
      onClose={onClose}
      footer={
        <>
          <Button kind="quiet" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button kind="danger" autofocus busy={busy} onClick={() => void remove()}>
            {t('topics.delete')}
          </Button>
        </>
      }
    >
      <p>{t('topics.delete-text', { topic: place.topic })}</p>
      {failure && (
        <p class="field-error" role="alert">
          <Icon name="warning" size={16} />
          {failure}
        </p>
      )}
    </Dialog>
  );
}

export function openDeleteTopicDialog(stream: number, topic: string): void {
  openLayer((done) => <DeleteTopicDialog stream={stream} topic={topic} onClose={done} />);
}
