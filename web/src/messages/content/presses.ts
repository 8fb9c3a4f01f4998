import { core } from '../../client/index.js';
import { announceToScreenReader, showToast } from '../../kit/index.js';
import { t } from '../../text/index.js';
import { withLaterChunk } from '../chunk.js';
import { makePlaygroundUrl } from './playground-url.js';

async function copyCodeBlock(button: HTMLElement): Promise<void> {
  await navigator.clipboard.writeText(readCode(button));
  button.textContent = t('messages.copied');
  announceToScreenReader(t('messages.copied'));
  setTimeout(() => {
    button.textContent = t('messages.copy');
  }, 2000);
}

const readCode = (button: HTMLElement): string =>
  (button.closest('.codehilite')?.querySelector('code')?.textContent ?? '').replace(/\n$/, '');

/** Opens the code in a playground of the organization, without a reference to this page. */
function openPlayground(button: HTMLElement): void {
  const { realm_playgrounds: known = [] } = core.state.realm.fields.peek();
  const playground = known.find(({ id }) => String(id) === (button as HTMLButtonElement).value);
  if (playground && /^https?:/.test(playground.url_prefix))
    window.open(makePlaygroundUrl(playground.url_prefix, readCode(button)), '_blank', 'noopener,noreferrer');
}

function toggleSpoiler(button: HTMLElement): void {
  const content = button.closest('.spoiler-block')?.querySelector('.spoiler-content');
  if (!content) return;
  const open = button.ariaExpanded !== 'true';
  button.ariaExpanded = String(open);
  button.textContent = t(open ? 'messages.spoiler-hide' : 'messages.spoiler-show');
  content.toggleAttribute('hidden', !open);
  content.setAttribute('aria-hidden', String(!open));
}

/** Handles clicks in the texts of messages. @returns whether the click was on something that reacts */
export function handleContentPress(event: MouseEvent): boolean {
  const target = event.target;
  if (!(target instanceof Element)) return false;
  const element = target.closest<HTMLElement>(
    '.code-copy, .code-play, .spoiler-header, a[data-image], [class*=-mention][role]',
  );
  if (!element) return target.closest('a, button') !== null;
  if (element.matches('.code-copy'))
    copyCodeBlock(element).catch(() => showToast({ text: t('messages.copy-failed'), kind: 'error' }));
  else if (element.matches('.code-play')) openPlayground(element);
  else if (element.matches('.spoiler-header')) {
    const button = element.querySelector<HTMLElement>('.spoiler-button');
    if (button && !target.closest('a')) toggleSpoiler(button);
  } else if (element instanceof HTMLAnchorElement) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return true;
    event.preventDefault();
    void withLaterChunk(({ openViewer }) => openViewer(element));
  } else {
    const { userId, userGroupId } = element.dataset;
    void withLaterChunk((of) =>
      userId ? of.openPersonMenu(element, Number(userId)) : of.openGroupMembers(Number(userGroupId), element.innerText),
    );
  }
  return true;
}

/** Makes mentions, which are no buttons, react to Enter and Space. */
export function pressMentionOnKey(event: KeyboardEvent): void {
  const target = event.target;
  if ((event.key !== 'Enter' && event.key !== ' ') || !(target instanceof HTMLElement)) return;
  if (!target.matches('[class*=-mention][role]')) return;
  event.preventDefault();
  event.stopPropagation();
  target.click();
}
