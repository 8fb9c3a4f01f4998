/** Names that stay different within a limit of characters: names in Slack may be longer, or occur several times. */
export class UniqueNames {
  readonly #taken = new Set<string>();

  constructor(private readonly maxCharacters: number) {}

  /** Shortens a name, and numbers it if it is taken, also in other capitals. */
  take(name: string): string {
    let unique = shortenWithEllipsis(name, this.maxCharacters);
    for (let n = 2; this.#taken.has(unique.toLowerCase()); n++) {
      const number = ` (${n})`;
      unique = `${shortenWithEllipsis(name, this.maxCharacters - number.length)}${number}`;
    }
    this.#taken.add(unique.toLowerCase());
    return unique;
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
