/**
 * Model of how today's official mobile client parses the HTML of messages. The client shows a block with an unknown
 * construct as HTML source.
 */
import { DomUtils, parseDocument } from 'htmlparser2';

const { isTag, isText } = DomUtils;
type ChildNode = ReturnType<typeof parseDocument>['children'][number];
type Element = Extract<ChildNode, { readonly attribs: unknown }>;

/** Classes of the Pygments scheme that the highlighter may emit; the client knows them all. */
const CODE_CLASS =
  /^(?:bp|c|c1|ch|cm|cp|cpf|cs|err|esc|fm|g|gd|ge|gh|gi|go|gp|gr|gs|gt|gu|il|k|kc|kd|kn|kp|kr|kt|l|ld|m|mb|mf|mh|mi|mo|n|na|nb|nc|nd|ne|nf|ni|nl|nn|no|nt|nv|nx|o|ow|p|pm|py|s|s1|s2|sa|sb|sc|sd|se|sh|si|sr|ss|sx|vc|vg|vi|vm|w)$/;
const MENTION = /^(?:user-mention|user-group-mention|topic-mention)(?: silent)?$/;
/** Classes of error markers. Every version of the client shows them as source. */
const ERROR_CLASSES: ReadonlySet<string> = new Set(['timestamp-error', 'tex-error']);
const PREVIEW_DIVISIONS: ReadonlySet<string> = new Set(['message_inline_image', 'youtube-video message_inline_image']);
/** Allowed link targets by link class. The client itself opens links to streams and topics. */
const LINK_BY_CLASS: Readonly<Record<string, RegExp>> = {
  '': /./,
  stream: /^\/#narrow\/stream\/\d+-[\w.-]+$/,
  'stream-topic': /^\/#narrow\/stream\/\d+-[\w.-]+\/topic\/[\w.-]+$/,
};
/** Allowed text parts in the preview of a web page, by class. */
const PREVIEW_TEXT_CLASSES: ReadonlySet<string> = new Set([
  'message_embed_title',
  'message_embed_description',
  'message_embed_title,message_embed_description',
]);
const PLAIN_INLINE: ReadonlySet<string> = new Set(['strong', 'em', 'del', 'code']);

const classOf = (of: Element): string => of.attribs.class ?? '';
const isNewline = (node: ChildNode): boolean => isText(node) && node.data === '\n';
const isBlank = (node: ChildNode): boolean => isText(node) && node.data.trim() === '';
/** Only child of an element, if it is an element with this name. */
const onlyChild = (of: Element, name: string): Element | undefined => {
  const [child, ...others] = of.children;
  return child && isTag(child) && child.name === name && others.length === 0 ? child : undefined;
};
const elementsIn = (of: Element): Element[] => of.children.filter(isTag);
const textOf = (node: ChildNode): string =>
  isText(node) ? node.data : isTag(node) ? node.children.map(textOf).join('') : '';

class MarkupReader {
  readonly unknown: string[] = [];

  #report(node: ChildNode, why = ''): void {
    const tag = isTag(node) ? `<${node.name} ${JSON.stringify(node.attribs)}>` : `text ${JSON.stringify(textOf(node))}`;
    this.unknown.push(`${tag}${why && `: ${why}`}`);
  }

  #withoutAttributes(of: Element, allowed: readonly string[] = []): void {
    for (const name of Object.keys(of.attribs)) if (!allowed.includes(name)) this.#report(of, `attribute ${name}`);
  }

  /** Child elements of a list or table; the client expects exactly one newline before, between and after them. */
  #spaced(of: Element, names: readonly string[]): Element[] {
    of.children.forEach((child, i) => {
      const good = i % 2 === 0 ? isNewline(child) : isTag(child) && names.includes(child.name);
      if (!good) this.#report(child, `in ${of.name}`);
    });
    if (of.children.length % 2 === 0) this.#report(of, 'space at the end');
    return elementsIn(of);
  }

  blocks(nodes: readonly ChildNode[]): void {
    for (const node of nodes) {
      if (isTag(node)) this.#block(node);
      else if (!isBlank(node)) this.#report(node, 'outside of blocks');
    }
  }

  #block(of: Element): void {
    switch (of.name) {
      case 'p':
        this.#withoutAttributes(of);
        if (of.children[0] && isTag(of.children[0]) && classOf(of.children[0]) === 'katex-display') this.#formulas(of);
        else this.#inline(of.children);
        return;
      case 'h1':
      case 'h2':
      case 'h3':
      case 'h4':
      case 'h5':
      case 'h6':
        this.#withoutAttributes(of);
        this.#inline(of.children);
        return;
      case 'hr':
      case 'br':
        this.#withoutAttributes(of);
        return;
      case 'ul':
      case 'ol':
        this.#withoutAttributes(of, of.name === 'ol' ? ['start'] : []);
        for (const child of of.children) {
          if (isTag(child) && child.name === 'li') this.#item(child);
          else if (!isNewline(child)) this.#report(child, 'in a list');
        }
        return;
      case 'blockquote':
        this.#withoutAttributes(of);
        this.blocks(of.children);
        return;
      case 'table':
        this.#table(of);
        return;
      case 'div':
        this.#division(of);
        return;
      default:
        this.#report(of, 'as a block');
    }
  }

  #item(of: Element): void {
    this.#withoutAttributes(of);
    const isBlockName = (node: ChildNode): boolean =>
      isTag(node) && /^(?:p|h[1-6]|hr|ul|ol|blockquote|table|div)$/.test(node.name);
    this.#inline(of.children.filter((node) => !isBlockName(node)));
    this.blocks(of.children.filter(isBlockName));
  }

  #formulas(of: Element): void {
    of.children.forEach((child, i) => {
      if (i % 2 === 1) {
        if (!isText(child) || child.data !== '\n\n') this.#report(child, 'between formulas');
        return;
      }
      const [formula, ...others] = isTag(child) && classOf(child) === 'katex-display' ? child.children : [];
      if (!formula || !isTag(formula) || classOf(formula) !== 'katex' || others.length > 0)
        this.#report(child, 'between formulas');
      else this.#formula(formula, 'block');
    });
    if (of.children.length % 2 === 0) this.#report(of, 'text behind the formulas');
  }

  /** @param display expected `display` attribute of the `math` element; undefined for a formula within a line */
  #formula(of: Element, display: 'block' | undefined): void {
    const [mathml, html, ...others] = of.children;
    const isWhole =
      mathml &&
      html &&
      isTag(mathml) &&
      isTag(html) &&
      [mathml, html].map(classOf).join() === 'katex-mathml,katex-html';
    if (!isWhole || others.length > 0) {
      this.#report(of, 'parts');
      return;
    }
    const math = onlyChild(mathml, 'math');
    const meaning = math && onlyChild(math, 'semantics');
    const source = meaning?.children.at(-1);
    if (!source || !isTag(source) || source.name !== 'annotation') {
      this.#report(of, 'source');
      return;
    }
    if (source.attribs.encoding !== 'application/x-tex' || textOf(source).trim() === '') this.#report(source);
    if (math?.attribs.display !== display) this.#report(of, `display ${math?.attribs.display}`);
  }

  /** Checks the preview of a web page: a picture, and a division with a title, a description, or both. */
  #pagePreview(of: Element): void {
    const [picture, texts, ...others] = of.children;
    if (!picture || !isTag(picture) || picture.name !== 'a' || classOf(picture) !== 'message_embed_image') {
      this.#report(of, 'without a picture');
      return;
    }
    const { href, style = '' } = picture.attribs;
    if (href === undefined || !/^background-image: url\("[^"]+"\)$/.test(style) || picture.children.length > 0)
      this.#report(picture);
    if (!texts || !isTag(texts) || classOf(texts) !== 'data-container' || others.length > 0) {
      this.#report(of, 'parts');
      return;
    }
    const kinds = texts.children.map((child) => (isTag(child) && child.name === 'div' ? classOf(child) : ''));
    if (!PREVIEW_TEXT_CLASSES.has(kinds.join())) this.#report(texts, 'parts');
    for (const part of elementsIn(texts)) {
      const text = textOf(part).trim();
      const isGood =
        classOf(part) === 'message_embed_title'
          ? onlyChild(part, 'a')?.attribs.title === text
          : part.children.every((child) => isText(child));
      if (text === '' || !isGood) this.#report(part);
    }
  }

  #table(of: Element): void {
    this.#withoutAttributes(of);
    const [head, body, ...more] = this.#spaced(of, ['thead', 'tbody']);
    if (head?.name !== 'thead' || body?.name !== 'tbody' || more.length > 0) this.#report(of, 'parts');
    for (const part of [head, body])
      for (const row of part ? this.#spaced(part, ['tr']) : [])
        for (const cell of this.#spaced(row, [part === head ? 'th' : 'td'])) {
          this.#withoutAttributes(cell, ['style']);
          const { style } = cell.attribs;
          if (style !== undefined && !/^text-align: (?:left|center|right);$/.test(style)) this.#report(cell, 'style');
          this.#inline(cell.children);
        }
  }

  #division(of: Element): void {
    const kind = classOf(of);
    if (kind === 'spoiler-block') {
      const parts = elementsIn(of);
      if (parts.map(classOf).join() !== 'spoiler-header,spoiler-content') this.#report(of, 'parts');
      for (const part of parts) this.blocks(part.children);
    } else if (kind === 'codehilite') this.#code(of);
    else if (PREVIEW_DIVISIONS.has(kind)) {
      const link = onlyChild(of, 'a');
      const image = link && onlyChild(link, 'img');
      if (!link?.attribs.href || classOf(link) !== '' || !image?.attribs.src || classOf(image) !== '')
        this.#report(of, 'preview');
    } else if (kind === 'message_embed') this.#pagePreview(of);
    else this.#report(of);
  }

  #code(of: Element): void {
    const [pre, ...others] = of.children;
    const [mark, code] = pre && isTag(pre) ? elementsIn(pre) : [];
    if (others.length > 0 || mark?.name !== 'span' || mark.children.length > 0 || code?.name !== 'code')
      this.#report(of, 'parts');
    for (const piece of code?.children ?? []) {
      const isPlain = isText(piece);
      const isColored =
        isTag(piece) &&
        piece.name === 'span' &&
        classOf(piece)
          .split(' ')
          .some((c) => CODE_CLASS.test(c));
      if (!isPlain && !isColored) this.#report(piece, 'in code');
    }
  }

  #inline(nodes: readonly ChildNode[]): void {
    for (const node of nodes) if (isTag(node)) this.#inlineElement(node);
  }

  #inlineElement(of: Element): void {
    const kind = classOf(of);
    if (PLAIN_INLINE.has(of.name)) {
      this.#withoutAttributes(of);
      this.#inline(of.children);
    } else if (of.name === 'br') this.#withoutAttributes(of);
    else if (of.name === 'a') {
      if (!LINK_BY_CLASS[kind]?.test(of.attribs.href ?? '')) this.#report(of);
      this.#inline(of.children);
    } else if (of.name === 'img') {
      if (kind !== 'emoji' || !of.attribs.src || !of.attribs.alt) this.#report(of);
    } else if (of.name === 'time') {
      if (!/Z$/.test(of.attribs.datetime ?? '')) this.#report(of);
    } else if (of.name === 'span') this.#span(of, kind);
    else this.#report(of, 'within a line');
  }

  #span(of: Element, kind: string): void {
    if (/^emoji emoji-[0-9a-f]+(?:-[0-9a-f]+)*$/.test(kind) || ERROR_CLASSES.has(kind)) return;
    if (MENTION.test(kind)) {
      const id = of.attribs[kind.startsWith('user-group') ? 'data-user-group-id' : 'data-user-id'];
      if (!kind.startsWith('topic') && !/^(?:\d+|\*)$/.test(id ?? '')) this.#report(of);
    } else if (kind === 'katex') this.#formula(of, undefined);
    else this.#report(of);
  }
}

/**
 * Finds the parts of a message's HTML that the client would show as source.
 * @returns descriptions of the parts, each with the reason
 */
export function unreadableMarkup(html: string): readonly string[] {
  const reader = new MarkupReader();
  reader.blocks(parseDocument(html).children);
  return reader.unknown;
}
