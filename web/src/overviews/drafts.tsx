import { core, formatFailureText } from '../client/index.js';
import { makeConversationNarrow, type StoredDraft } from '../core/index.js';
import { awaitOrToastError } from '../failures/index.js';
import {
  EmptyNotice,
  IconButton,
  type RowFocusAttributes as RowAttributes,
  showToast,
  VirtualList,
} from '../kit/index.js';
import { LATER_ICONS } from '../kit-later/index.js';
import { formatShortTime, t } from '../text/index.js';
import { UNSENT_MESSAGE_ROW_HEIGHT_PX, UnsentMessageRow } from './note-row.js';
import { useRowKeyNavigation } from './walk.js';

/** Opens the conversation of a draft, with its text in the compose box. */
function openDraftInCompose(draft: StoredDraft): void {
  const to = core.draftService.getDraftTarget(draft);
  if (to) core.router.navigate({ view: 'narrow', narrow: makeConversationNarrow(to) });
  core.sharedViewState.composeRequest.value = { ...(to ? { conversation: to } : {}), draftId: draft.id };
}

async function deleteDraftWithUndo(stored: StoredDraft): Promise<void> {
  const { id, type, to, topic, content, timestamp } = stored;
  if (!(await awaitOrToastError(core.draftService.delete(id)))) return;
  const user = core.state.me.id;
  const restore = () => {
    if (core.state.me.id !== user) return;
    if (id < 0) {
      const draft = core.draftService.openEmpty(core.draftService.getDraftTarget(stored));
      draft.setContent(content);
      draft.closeAndSaveNow();
      return;
    }
    const time = timestamp === undefined ? {} : { timestamp };
    core.api.post('/drafts', { drafts: [{ type, to: [...to], topic, content, ...time }] }).catch((error) =>
      // Nothing else has the text.
      showToast({ text: formatFailureText(error), kind: 'error', action }),
    );
  };
  const action = { label: t('common.undo'), run: restore };
  showToast({ text: t('overviews.draft-deleted'), action });
}

const getDraftId = ({ id }: StoredDraft): number => id;
const getDraftRowHeight = (): number => UNSENT_MESSAGE_ROW_HEIGHT_PX;

function DraftRow({ draft, attributes }: { readonly draft: StoredDraft; readonly attributes: RowAttributes }) {
  const at = (draft.timestamp ?? 0) * 1000;
  return (
    <UnsentMessageRow
      target={core.draftService.getDraftTarget(draft)}
      content={draft.content}
      details={<span data-at={at}>{formatShortTime(at)}</span>}
      attributes={attributes}
      openLabel={t('overviews.resume')}
      onOpen={() => openDraftInCompose(draft)}
    >
      <IconButton icon="edit" label={t('overviews.resume')} tabIndex={-1} onClick={() => openDraftInCompose(draft)} />
      <IconButton
        icon={LATER_ICONS.trash}
        label={t('overviews.delete-draft')}
        tabIndex={-1}
        onClick={() => void deleteDraftWithUndo(draft)}
      />
    </UnsentMessageRow>
  );
}

/** Drafts, newest first. */
export function DraftsView() {
  const walk = useRowKeyNavigation();
  const drafts = core.state.ownLists.listedDrafts.value;
  if (drafts.length === 0) {
    return (
      <div class="overview-empty">
        <EmptyNotice icon="draft">{t('overviews.drafts-empty')}</EmptyNotice>
      </div>
    );
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the buttons inside
    <div class="overview" ref={walk.ref} onKeyDown={walk.onKeyDown}>
      <VirtualList
        items={drafts}
        getItemKey={getDraftId}
        getItemHeightPx={getDraftRowHeight}
        label={t('sidebar.drafts')}
      >
        {(draft, attributes) => <DraftRow draft={draft} attributes={attributes} />}
      </VirtualList>
    </div>
  );
}
