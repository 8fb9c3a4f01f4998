/** Marks of an edit in the HTML of a message, without the DOM. */

/** Matches the words that the server marks; tags stay outside its spans. */
const CHANGED_WORDS_PATTERN = /<span class="highlight_text_(inserted|deleted)">([^<]*)<\/span>/g;
/** Matches an element whose whole text was inserted: an emoji, a mention. Its text is replaced when it is shown. */
const INSERTED_ELEMENT_PATTERN = /(<(span|time)\b[^>]*>)(<ins class="change">)([^<]*)<\/ins> ?<\/\2>/g;

/** Turns the spans of `content_html_diff` into `ins` and `del`, which screen readers know. */
export const markHtmlChanges = (html: string): string =>
  html
    .replace(CHANGED_WORDS_PATTERN, (_, kind: string, words: string) => {
      const tag = kind === 'inserted' ? 'ins' : 'del';
      return `<${tag} class="change">${words}</${tag}>`;
    })
    .replace(INSERTED_ELEMENT_PATTERN, '$3$1$4</$2></ins>');
