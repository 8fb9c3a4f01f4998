/**
 * Macros that a formula defines with \newcommand, \renewcommand, \providecommand or \def. KaTeX expands them, but their
 * definitions are read here: KaTeX bounds the number of expansions, not the length of what they produce.
 */

/** A token of KaTeX. */
interface FormulaToken {
  readonly text: string;
}

/** An expansion of a macro: TeX, or tokens with the first one last. */
type FormulaMacroExpansion = string | { readonly tokens: readonly FormulaToken[]; readonly numArgs: 0 };

/** The part of KaTeX's macro expander that is used here. Arguments have their first token last. */
interface FormulaMacroContext {
  readonly macros: {
    /** One entry for each open group. */
    readonly undefStack: readonly object[];
    set(name: string, macro: FormulaMacro): void;
  };
  consumeArg(): { readonly tokens: readonly FormulaToken[] };
  consumeArgs(count: number): readonly (readonly FormulaToken[])[];
  /** The next token, which stays. */
  future(): FormulaToken;
  popToken(): FormulaToken;
  /** Expands macros and takes the next token. */
  expandNextToken(): FormulaToken;
  isDefined(name: string): boolean;
}

/** A macro in the form of KaTeX: a function that takes its arguments from the formula. */
type FormulaMacro = (context: FormulaMacroContext) => FormulaMacroExpansion;

interface FormulaMacroLimits {
  /** Maximum number of characters that macros add to the formula. */
  readonly maxAddedCharacters: number;
  /** Maximum nesting of groups in what macros produce. */
  readonly maxDepth: number;
}

/** Commands of a text begin behind an even number of backslashes: `\\def` is a line break and three letters. */
export const FORMULA_COMMAND_START = String.raw`(?<!\\)(?:\\\\)*\\`;
const DEFINITION_PATTERN = new RegExp(
  `${FORMULA_COMMAND_START}(?:def|newcommand|renewcommand|providecommand)(?![a-zA-Z@])`,
);

/** True if the text may define a macro of TeX. */
export const mayDefineFormulaMacro = (text: string): boolean => DEFINITION_PATTERN.test(text);

/**
 * The commands that define macros, for KaTeX's setting `macros` and one formula. They throw an Error if they don't
 * understand a definition, and their macros throw one beyond the limits.
 */
export function makeFormulaMacroCommands(limits: FormulaMacroLimits): Record<string, FormulaMacro> {
  let addedCharacters = 0;
  const makeMacro =
    (body: readonly FormulaToken[], parameterCount: number): FormulaMacro =>
    (context) => {
      const args = context.consumeArgs(parameterCount);
      const tokens = parameterCount === 0 ? body : replaceParametersOrThrow(body, args);
      addedCharacters += lengthOfTokens(tokens) - args.reduce((sum, arg) => sum + lengthOfTokens(arg), 1);
      if (addedCharacters > limits.maxAddedCharacters) throw new Error('The macros of a formula produce too much.');
      const depth = context.macros.undefStack.length + maxBraceDepth(tokens.map(({ text }) => text));
      if (depth > limits.maxDepth) throw new Error('The macros of a formula are nested too deep.');
      return { tokens: tokens.toReversed(), numArgs: 0 };
    };
  const makeNewCommand =
    (keepsDefined: boolean): FormulaMacro =>
    (context) => {
      const name = requireMacroName(context.consumeArg().tokens);
      const isKept = keepsDefined && context.isDefined(name);
      let body = context.consumeArg().tokens;
      const hasParameterCount = body.length === 1 && body[0]!.text === '[';
      const parameterCount = hasParameterCount ? readParameterCountOrThrow(context) : 0;
      if (hasParameterCount) body = context.consumeArg().tokens;
      if (!isKept) context.macros.set(name, makeMacro(body.toReversed(), parameterCount));
      return '';
    };
  return {
    '\\newcommand': makeNewCommand(false),
    '\\renewcommand': makeNewCommand(false),
    '\\providecommand': makeNewCommand(true),
    '\\def': (context) => {
      const name = requireMacroName([context.popToken()]);
      const parameterCount = readParametersOrThrow(context);
      context.macros.set(name, makeMacro(context.consumeArg().tokens.toReversed(), parameterCount));
      // KaTeX's own \def is no macro: it may not be an argument, and a superscript behind it has no base.
      return '\\let\\@defined\\relax';
    },
  };
}

const lengthOfTokens = (tokens: readonly FormulaToken[]): number =>
  tokens.reduce((sum, { text }) => sum + text.length, 0);

/** Nesting of braces. */
export function maxBraceDepth(tokens: Iterable<string>): number {
  let open = 0;
  let most = 0;
  for (const token of tokens) {
    if (token === '{') most = Math.max(most, ++open);
    else if (token === '}') open--;
  }
  return most;
}

function requireMacroName([name, ...others]: readonly FormulaToken[]): string {
  if (!name || others.length > 0 || !/^\\[^\\{}$&#_^]/.test(name.text)) throw new Error('A macro has no name.');
  return name.text;
}

/** Reads the `2]` of a \newcommand. The number may come from a macro, and have spaces around it. */
function readParameterCountOrThrow(context: FormulaMacroContext): number {
  let count = '';
  for (let token = context.expandNextToken(); token.text !== ']'; token = context.expandNextToken()) {
    if (token.text === 'EOF') throw new Error('A macro has no number of parameters.');
    count += token.text;
  }
  if (!/^\s*\d+\s*$/.test(count)) throw new Error('A macro has no number of parameters.');
  return Number(count);
}

/** Reads the `#1#2` of a \def. */
function readParametersOrThrow(context: FormulaMacroContext): number {
  for (let count = 0; ; count++) {
    if (context.future().text === '{') return count;
    if (context.popToken().text !== '#' || context.popToken().text !== `${count + 1}`)
      throw new Error('A macro has other parameters than #1#2.');
  }
}

/** The body of a macro with its arguments, the first token first. */
function replaceParametersOrThrow(
  body: readonly FormulaToken[],
  args: readonly (readonly FormulaToken[])[],
): readonly FormulaToken[] {
  const tokens: FormulaToken[] = [];
  for (let i = 0; i < body.length; i++) {
    const parameter = body[i]!.text === '#' ? body[++i]?.text : undefined;
    const argument = args[Number(parameter) - 1];
    if (argument) tokens.push(...argument.toReversed());
    else if (body[i] && (parameter === undefined || parameter === '#')) tokens.push(body[i]!);
    else throw new Error('A macro uses an argument that it does not have.');
  }
  return tokens;
}
