import { core } from '../../client/index.js';
import { formatFullDateTime, t } from '../../text/index.js';
import { applyAllowedDataStyles, enableFormulaStyles } from './formulas.js';
import { parseAddress } from './sanitize.js';

const makeElementWithClass = <K extends keyof HTMLElementTagNameMap>(tag: K, of: string): HTMLElementTagNameMap[K] => {
  const element = document.createElement(tag);
  element.className = of;
  return element;
};

/** A button in a text. The list handles its clicks (`presses.ts`). */
function makeContentButton(of: string, label: string): HTMLButtonElement {
  const button = makeElementWithClass('button', of);
  button.type = 'button';
  button.textContent = label;
  return button;
}

/** The characters of an emoji's code, `1f1e9-1f1ea`. */
export const decodeEmojiCode = (code: string): string =>
  /^[\da-f]{1,6}(?:-[\da-f]{1,6})*$/.test(code)
    ? String.fromCodePoint(...code.split('-').map((part) => Math.min(Number.parseInt(part, 16), 0x10ffff)))
    : '';

/**
 * Each emoji becomes its characters. The server's element leaves out a skin tone that follows it, so the tone moves
 * into the element: alone it would be a coloured square.
 */
function insertEmojiCharacters(root: DocumentFragment): void {
  for (const element of root.querySelectorAll<HTMLElement>('span.emoji')) {
    const code = [...element.classList].find((name) => name.startsWith('emoji-'))?.slice('emoji-'.length) ?? '';
    const characters = decodeEmojiCode(code);
    if (!characters) continue;
    const next = element.nextSibling;
    const [tone = ''] = (next instanceof Text && /^\p{Emoji_Modifier}/u.exec(next.data)) || [];
    if (tone) (next as Text).deleteData(0, tone.length);
    element.textContent = characters + tone;
  }
}

/** Makes mentions of the reader stand out, and gives every mention of a person or a group a menu or dialog. */
function decorateMentions(root: DocumentFragment): void {
  const { me, people } = core.state;
  for (const element of root.querySelectorAll<HTMLElement>('.user-mention, .user-group-mention')) {
    const { userId, userGroupId } = element.dataset;
    const mine =
      userId === '*' ||
      (userId !== undefined && Number(userId) === me.id) ||
      (userGroupId !== undefined && people.isInGroupOrSubgroup(me.id, Number(userGroupId)));
    if (mine && !element.classList.contains('silent')) element.classList.add('me');
    if (userId === '*' || !(userId ?? userGroupId)) continue;
    element.setAttribute('role', 'button');
    element.tabIndex = 0;
    // The name may have changed since the message was written.
    const name = people.getFullName(Number(userId));
    if (name) element.textContent = element.classList.contains('silent') ? name : `@${name}`;
  }
}

function localizeTimes(root: DocumentFragment): void {
  for (const element of root.querySelectorAll('time')) {
    const at = Date.parse(element.dateTime);
    if (Number.isNaN(at)) continue;
    element.title = t('messages.time-written', { text: element.textContent ?? '' });
    element.textContent = formatFullDateTime(at);
  }
}

function hideSpoilersBehindButtons(root: DocumentFragment): void {
  for (const block of root.querySelectorAll('.spoiler-block')) {
    const [header, content] = [block.querySelector('.spoiler-header'), block.querySelector('.spoiler-content')];
    if (!header || !content) continue;
    if (!header.textContent?.trim()) header.append(t('messages.spoiler'));
    content.setAttribute('aria-hidden', 'true');
    content.toggleAttribute('hidden', true);
    const button = makeContentButton('spoiler-button', t('messages.spoiler-show'));
    button.ariaExpanded = 'false';
    header.append(button);
  }
}

function addCodeBarsAndTableFrames(root: DocumentFragment): void {
  for (const block of root.querySelectorAll<HTMLElement>('.codehilite')) {
    const bar = makeElementWithClass('div', 'code-bar');
    const language = makeElementWithClass('span', '');
    language.textContent = block.dataset.codeLanguage ?? '';
    bar.append(language);
    const playgrounds = core.state.realm.fields.peek().realm_playgrounds ?? [];
    for (const { id, name, highlighter_language } of playgrounds) {
      if (highlighter_language !== block.dataset.codeLanguage) continue;
      const button = makeContentButton('code-play', t('messages.code-open', { name }));
      button.value = String(id);
      bar.append(button);
    }
    bar.append(makeContentButton('code-copy', t('messages.copy')));
    const code = block.querySelector('pre');
    if (code) code.tabIndex = 0;
    block.prepend(bar);
  }
  for (const table of root.querySelectorAll('table')) {
    const frame = makeElementWithClass('div', 'table-frame');
    frame.tabIndex = 0;
    table.replaceWith(frame);
    frame.append(table);
  }
}

/** The picture of a link preview comes as a style, which the policy refuses. Pictures of other hosts are left out. */
function addPreviewImages(root: DocumentFragment): void {
  for (const link of root.querySelectorAll<HTMLElement>('.message_embed_image')) {
    const path = /url\("(\/external_content\/[^"]+)"/.exec(link.dataset.style ?? '')?.[1];
    if (!path) link.remove();
    else {
      const image = new Image();
      image.src = path;
      image.alt = '';
      link.append(image);
    }
  }
}

/** Thumbnails of this format fill a preview of 200 × 130 pixels on a screen of the highest density. */
const THUMBNAIL_FORMAT_NAME = '840x560.webp';
const UPLOADED_PICTURE_PATTERN = /^\/user_uploads\/(\d+\/.+\.(?:jpe?g|jpe|png|webp))$/i;

/** Shows less than 100 kB in place of a photograph of several megabytes, which the viewer loads. */
function showThumbnail(image: HTMLImageElement): void {
  const source = image.getAttribute('src') ?? '';
  const [, path] = UPLOADED_PICTURE_PATTERN.exec(source) ?? [];
  if (path === undefined) return;
  image.dataset.srcFullsize = source;
  image.src = `/user_uploads/thumbnail/${path}/${THUMBNAIL_FORMAT_NAME}`;
}

/** The last part of a path, as it is where it is not encoded well. */
function decodeFileName(path: string): string {
  const name = path.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Pictures of this server open in the viewer; those of others stay links, since nothing is loaded from other hosts. */
function decorateInlineImages(root: DocumentFragment): void {
  for (const frame of root.querySelectorAll<HTMLElement>('.message_inline_image')) {
    const image = frame.querySelector('img[src]');
    if (image instanceof HTMLImageElement) {
      image.loading = 'lazy';
      showThumbnail(image);
      const link = image.closest('a');
      const name = link?.title || decodeFileName(link?.pathname ?? '');
      image.alt ||= name || t('messages.image');
      if (!frame.classList.contains('youtube-video')) link?.setAttribute('data-image', '');
    } else if (!frame.textContent?.trim()) frame.remove();
  }
  for (const image of root.querySelectorAll('img:not([src])')) image.replaceWith(image.getAttribute('alt') ?? '');
}

/** A picture that can't be loaded becomes its name, in its link; the one of a link preview, which has none, goes. */
function replaceBrokenImages(root: DocumentFragment): void {
  for (const image of root.querySelectorAll('img')) {
    image.addEventListener('error', () => {
      const link = image.closest('a');
      // The viewer has nothing to show.
      link?.removeAttribute('data-image');
      if (image.alt) image.replaceWith(image.alt);
      else (link ?? image).remove();
    });
  }
}

/**
 * Links into this client change the fragment of the address only; all others open in a new tab. A link whose address is
 * not valid leads nowhere, so its text stays without it.
 */
function retargetLinks(root: DocumentFragment): void {
  for (const link of root.querySelectorAll('a')) {
    const href = link.getAttribute('href');
    if (href === null) continue;
    const url = parseAddress(href);
    if (!url) link.replaceWith(...link.childNodes);
    else if (url.origin === location.origin && url.pathname === '/' && url.hash) link.setAttribute('href', url.hash);
    else {
      link.target = '_blank';
      link.rel = 'noopener noreferrer';
    }
  }
}

/** The sender's name stands in the place of `/me`. */
function removeMePrefix(root: DocumentFragment): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const first = walker.nextNode();
  if (first) first.textContent = (first.textContent ?? '').replace(/^\/me\s*/, '');
}

/** Prepares the sanitized HTML of a message for readers. */
export function decorateMessageHtml(root: DocumentFragment, isMe: boolean): void {
  addPreviewImages(root);
  applyAllowedDataStyles(root);
  if (root.querySelector('.katex')) enableFormulaStyles();
  if (isMe) removeMePrefix(root);
  insertEmojiCharacters(root);
  decorateMentions(root);
  localizeTimes(root);
  hideSpoilersBehindButtons(root);
  addCodeBarsAndTableFrames(root);
  decorateInlineImages(root);
  replaceBrokenImages(root);
  retargetLinks(root);
}
