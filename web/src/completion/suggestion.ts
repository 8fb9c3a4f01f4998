import type { IconName } from '../kit/index.js';

/** One line of a list of completions. */
export interface Suggestion {
  readonly key: string;
  readonly text: string;
  /** Distinguishes it from others: an address, a description. */
  readonly detail?: string | undefined;
  readonly icon?: IconName;
  /** The text is the name of a topic. */
  readonly isTopic?: boolean;
  /** A person, shown with the picture. */
  readonly personId?: number;
  /** An emoji as a character, or the address of its picture. */
  readonly emojiCharacter?: string | undefined;
  readonly pictureUrl?: string | undefined;
  /** Text that replaces what was typed. */
  readonly insertedText: string;
  /** Id of a stream or a person, for fields of the address. */
  readonly streamOrPersonId?: number;
}
