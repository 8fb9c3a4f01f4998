import { core } from '../client/index.js';
import { conversationNarrow, type StoredDraft } from '../core/index.js';
import { Empty, IconButton, type Row as RowAttributes, toast, VirtualList } from '../kit/index.js';
import { formatAgo, formatDateTime, t } from '../text/index.js';
import { NOTE_HEIGHT, NoteRow } from './note-row.js';
import { useWalk } from './walk.js';

/** Goes to the conversation and gives the text to the compose box. */
function resume(draft: StoredDraft): void {
  const to = core.drafts.targetOf(draft);
  if (to) core.router.go({ view: 'narrow', narrow: conversationNarrow(to) });
  core.focus.compose.value = { ...(to ? { to } : {}), draft: draft.id };
}

async function remove({ id, type, to, topic, content, timestamp }: StoredDraft): Promise<void> {
  try {
    await core.drafts.delete(id);
  } catch {
    toast({ text: t('error.unreachable'), kind: 'error' });
    return;
  }
  const restore = async () => {
    const time = timestamp === undefined ? {} : { timestamp };
    try {
      await core.api.post('/drafts', { drafts: [{ type, to: [...to], topic, content, ...time }] });
    } catch {
      toast({ text: t('error.unreachable'), kind: 'error' });
    }
  };
  toast({ text: t('overviews.draft-deleted'), action: { label: t('common.undo'), run: () => void restore() } });
}

const keyOf = ({ id }: StoredDraft): number => id;
const heightOf = (): number => NOTE_HEIGHT;

function DraftRow({ draft, attributes }: { readonly draft: StoredDraft; readonly attributes: RowAttributes }) {
  const at = (draft.timestamp ?? 0) * 1000;
  return (
    <NoteRow
      to={core.drafts.targetOf(draft)}
      content={draft.content}
      about={<span data-tip={formatDateTime(at)}>{formatAgo(at)}</span>}
      attributes={attributes}
      label={t('overviews.resume')}
      onOpen={() => resume(draft)}
    >
      <IconButton icon="edit" label={t('overviews.resume')} tabIndex={-1} onClick={() => resume(draft)} />
      <IconButton icon="trash" label={t('overviews.delete-draft')} tabIndex={-1} onClick={() => void remove(draft)} />
    </NoteRow>
  );
}

/** Texts that were begun, newest first. */
export function DraftsView() {
  const walk = useWalk();
  const drafts = core.state.own.drafts.value;
  if (drafts.length === 0) {
    return (
      <div class="overview-empty">
        <Empty icon="draft">{t('overviews.drafts-empty')}</Empty>
      </div>
    );
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the buttons inside
    <div class="overview" ref={walk.ref} onKeyDown={walk.onKeyDown}>
      <VirtualList items={drafts} keyOf={keyOf} heightOf={heightOf} label={t('sidebar.drafts')}>
        {(draft, attributes) => <DraftRow draft={draft} attributes={attributes} />}
      </VirtualList>
    </div>
  );
}
