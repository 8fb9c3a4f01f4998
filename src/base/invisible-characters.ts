/** Characters that show nothing: zero-width characters, controls of the writing direction, fillers, blank Braille. */

/** A cheap test: most names have none of these characters. */
const MAYBE_INVISIBLE_PATTERN = /[\p{Default_Ignorable_Code_Point}\p{Cc}\u2800\ufff9-\ufffb]/u;

/**
 * Matches an invisible character, except where it changes what is shown: a joiner between two emoji, and the tags of a
 * flag.
 */
const INVISIBLE_CHARACTER_PATTERN =
  /(?!(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]*)\u200d\p{Extended_Pictographic})(?!(?<=\u{1f3f4}[\u{e0020}-\u{e007e}]*)[\u{e0020}-\u{e007f}])[\p{Default_Ignorable_Code_Point}\p{Cc}\u2800\ufff9-\ufffb]/gu;

/** The text without its invisible characters. */
export const withoutInvisibleCharacters = (text: string): string =>
  MAYBE_INVISIBLE_PATTERN.test(text) ? text.replace(INVISIBLE_CHARACTER_PATTERN, '') : text;

/** True if the text has a character that shows something. */
export const hasVisibleCharacter = (text: string): boolean => withoutInvisibleCharacters(text).trim() !== '';

/** Form of a name for comparisons, in which names that look alike for their invisible characters are equal. */
export const foldNameAsShown = (name: string): string => withoutInvisibleCharacters(name).trim().toLowerCase();
