/**
 * Macros that a formula defines with \newcommand, \renewcommand, \providecommand or \def. They are expanded here,
 * before KaTeX sees the formula: KaTeX bounds the number of expansions, but not the length of what they produce.
 */

interface FormulaMacro {
  readonly parameterCount: number;
  readonly body: readonly string[];
}

/** Matches a token of TeX: a control word with the blanks behind it, which TeX skips, or one character. */
const TOKEN_PATTERN = /\\[a-zA-Z@]+[ \t\r\n]*|\\?./gsu;
const CONTROL_WORD_WITHOUT_BLANKS_PATTERN = /^\\[a-zA-Z@]+$/;
const DEFINITION_PATTERN = /\\(?:def|newcommand|renewcommand|providecommand)(?![a-zA-Z@])/;
/** Maximum number of uses of macros in a formula: a macro may use itself without end. */
const MAX_MACRO_USES = 500;

/** True if the text may define a macro of TeX. */
export const mayDefineFormulaMacro = (text: string): boolean => DEFINITION_PATTERN.test(text);

/**
 * The formula with its macros expanded and without their definitions. A definition lasts to the end of the formula.
 *
 * @param maxLength maximum length of the expanded formula, characters
 * @returns undefined if a definition or a use is not understood, or the formula becomes too long
 */
export function expandFormulaMacrosOrUndefined(source: string, maxLength: number): string | undefined {
  return mayDefineFormulaMacro(source) ? new FormulaMacroExpander(source, maxLength).expandAllOrUndefined() : source;
}

class FormulaMacroExpander {
  readonly #macros = new Map<string, FormulaMacro>();
  /** Tokens that were not looked at yet, the next one last. */
  readonly #ahead: string[];

  constructor(
    source: string,
    private readonly maxLength: number,
  ) {
    this.#ahead = (source.match(TOKEN_PATTERN) ?? []).reverse();
  }

  expandAllOrUndefined(): string | undefined {
    let expanded = '';
    let previous = '';
    let uses = 0;
    for (let token = this.#ahead.pop(); token !== undefined; token = this.#ahead.pop()) {
      const name = nameOfToken(token);
      const macro = this.#macros.get(name);
      if (macro) {
        if (++uses > MAX_MACRO_USES || !this.#replaceUse(macro)) return undefined;
      } else if (DEFINITION_PATTERN.test(name)) {
        if (!this.#readDefinition(name)) return undefined;
      } else {
        // A letter behind a macro must not become a part of the control word that ends the macro's body.
        expanded +=
          CONTROL_WORD_WITHOUT_BLANKS_PATTERN.test(previous) && /^[a-zA-Z@]/.test(token) ? ` ${token}` : token;
        if (expanded.length > this.maxLength) return undefined;
        previous = token;
      }
    }
    return expanded;
  }

  /** Reads the rest of a definition. @returns false if it is not understood */
  #readDefinition(command: string): boolean {
    if (command !== '\\def' && this.#nextAfterBlanks() === '*') this.#ahead.pop();
    const [name, ...others] = this.#readArgument() ?? [];
    if (!name?.startsWith('\\') || others.length > 0) return false;
    const parameterCount = command === '\\def' ? this.#readParameters() : this.#readParameterCount();
    const body = this.#nextAfterBlanks() === '{' ? this.#readArgument() : undefined;
    if (parameterCount === undefined || !body) return false;
    this.#macros.set(nameOfToken(name), { parameterCount, body });
    return true;
  }

  /** Reads the `#1#2` of a \def. */
  #readParameters(): number | undefined {
    for (let count = 0; ; count++) {
      if (this.#nextAfterBlanks() !== '#') return count;
      this.#ahead.pop();
      if (this.#ahead.pop() !== `${count + 1}`) return undefined;
    }
  }

  /** Reads the `[2]` of a \newcommand. */
  #readParameterCount(): number | undefined {
    if (this.#nextAfterBlanks() !== '[') return 0;
    this.#ahead.pop();
    const digit = this.#ahead.pop() ?? '';
    return /^\d$/.test(digit) && this.#ahead.pop() === ']' ? Number(digit) : undefined;
  }

  /** Puts the body of a macro in the place of its use. @returns false if that is too long or an argument is missing */
  #replaceUse({ parameterCount, body }: FormulaMacro): boolean {
    const args: string[][] = [];
    while (args.length < parameterCount) {
      const argument = this.#readArgument();
      if (!argument) return false;
      args.push(argument);
    }
    const replaced: string[] = [];
    for (let i = 0; i < body.length; i++) {
      const argument = body[i] === '#' ? args[Number(body[i + 1]) - 1] : undefined;
      if (argument) i++;
      replaced.push(...(argument ?? [body[i]!]));
      if (replaced.length + this.#ahead.length > this.maxLength) return false;
    }
    this.#ahead.push(...replaced.reverse());
    return true;
  }

  /** Reads a token, or the tokens between braces. @returns undefined at the end of the formula */
  #readArgument(): string[] | undefined {
    this.#nextAfterBlanks();
    const tokens: string[] = [];
    let depth = 0;
    do {
      const token = this.#ahead.pop();
      if (token === undefined) return undefined;
      tokens.push(token);
      if (token === '{') depth++;
      else if (token === '}') depth--;
    } while (depth > 0);
    return tokens[0] === '{' ? tokens.slice(1, -1) : tokens;
  }

  /** Skips blanks. @returns the token behind them, which stays ahead */
  #nextAfterBlanks(): string | undefined {
    while (/^\s$/.test(this.#ahead.at(-1) ?? '')) this.#ahead.pop();
    return this.#ahead.at(-1);
  }
}

/** A token without the blanks that TeX skips behind a control word. */
const nameOfToken = (token: string): string => (/^\\[a-zA-Z@]/.test(token) ? token.trimEnd() : token);
