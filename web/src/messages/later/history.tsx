import { core } from '../../client/index.js';
import type { Answers, Message } from '../../contract/index.js';
import { awaitOrToastError } from '../../failures/index.js';
import { Avatar, Dialog, openLayer } from '../../kit/index.js';
import { formatFullDateTime, t } from '../../text/index.js';
import { MessageContent } from '../content/index.js';
import { markHtmlChanges } from './changes.js';

type MessageVersion = Answers['GET /messages/{message_id}/history']['message_history'][number];

function MessageVersionEntry({ of }: { readonly of: MessageVersion }) {
  const { people, streams } = core.state;
  const name = of.user_id === null ? '' : people.getFullName(of.user_id);
  const stream = (id: number | undefined): string => (id === undefined ? '' : streams.getStreamName(id));
  return (
    <li class="history-entry">
      <p class="history-head">
        <strong>{name}</strong> <time>{formatFullDateTime(of.timestamp * 1000)}</time>
      </p>
      {of.prev_stream !== undefined && (
        <p>{t('message.history-stream', { from: stream(of.prev_stream), to: stream(of.stream) })}</p>
      )}
      {of.prev_topic !== undefined && <p>{t('message.history-topic', { from: of.prev_topic, to: of.topic })}</p>}
      <MessageContent
        html={of.content_html_diff === undefined ? of.rendered_content : markHtmlChanges(of.content_html_diff)}
      />
    </li>
  );
}

/** Every version of a message, the newest first. */
export async function openHistory(message: Message): Promise<void> {
  const answer = core.api.get('/messages/{message_id}/history', { message_id: message.id });
  await awaitOrToastError(answer, ({ message_history }) =>
    openLayer((done) => (
      <Dialog title={t('message.history')} size="large" onClose={done}>
        <ol class="history">
          {[...message_history].reverse().map((of, index) => (
            <MessageVersionEntry key={index} of={of} />
          ))}
        </ol>
      </Dialog>
    )),
  );
}

function openPeopleDialog(title: string, summary: string, ids: readonly number[]): void {
  const { byId } = core.state.people;
  const people = ids.flatMap((id) => byId.value.get(id) ?? []);
  people.sort((a, b) => a.full_name.localeCompare(b.full_name));
  openLayer((done) => (
    <Dialog title={title} size="small" onClose={done}>
      <p>{summary}</p>
      <ul class="receipts">
        {people.map(({ user_id, full_name, avatar_url }) => (
          <li key={user_id}>
            <Avatar name={full_name} src={avatar_url} id={user_id} size={24} /> {full_name}
          </li>
        ))}
      </ul>
    </Dialog>
  ));
}

/** People who have read a message, as far as they let others know. */
export async function openReadReceipts(message: Message): Promise<void> {
  const answer = core.api.get('/messages/{message_id}/read_receipts', { message_id: message.id });
  await awaitOrToastError(answer, ({ user_ids: ids }) =>
    openPeopleDialog(
      t('message.receipts'),
      ids.length > 0 ? t('message.receipts-count', { n: ids.length }) : t('message.receipts-none'),
      ids,
    ),
  );
}

/** Members of a user group and of the groups in it. @param mention the text that was pressed */
export function openGroupMembers(group: number, mention: string): void {
  const { people } = core.state;
  const ids = [...people.byId.peek().keys()].filter((id) => people.isInGroupOrSubgroup(id, group));
  openPeopleDialog(mention, '', ids);
}
