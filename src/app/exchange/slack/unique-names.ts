/** Names that stay different within a limit of characters: names in Slack may be longer, or occur several times. */
import { DistinctNames } from '../format/distinct-names.js';

export class UniqueNames {
  readonly #names = new DistinctNames((name) => name.toLowerCase());

  constructor(private readonly maxCharacters: number) {}

  /** Shortens a name, and numbers it if it is taken, also in other capitals. */
  take(name: string): string {
    return this.#names.take(shortenWithEllipsis(name, this.maxCharacters), (n) => {
      const number = ` (${n})`;
      return `${shortenWithEllipsis(name, this.maxCharacters - number.length)}${number}`;
    });
  }
}

function shortenWithEllipsis(name: string, maxCharacters: number): string {
  const characters = [...name];
  if (characters.length <= maxCharacters) return name;
  return `${characters
    .slice(0, maxCharacters - 1)
    .join('')
    .trim()}…`;
}
