/** Validation of a linkifier before it is stored (realm.md § Linkifiers). The functions have no side effects. */
import { RE2JS } from 're2js';
import { isUsableLinkifier } from './linkifier.js';

/** Error texts by name of the field, or under `__all__` for the whole object. */
export type FieldErrorMessages = Readonly<Record<string, readonly string[]>>;

const BLANK_FIELD_MESSAGE = 'This field cannot be blank.';

/** Matches one character of a variable's name in a URL template. */
const TEMPLATE_NAME_CHARACTER_SOURCE = '(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})';
const TEMPLATE_VARIABLE_SOURCE = `${TEMPLATE_NAME_CHARACTER_SOURCE}(?:\\.?${TEMPLATE_NAME_CHARACTER_SOURCE})*(?:\\*|:[1-9][0-9]{0,3})?`;
const TEMPLATE_EXPRESSION_INSIDE_PATTERN = new RegExp(
  `^[+#./;?&]?${TEMPLATE_VARIABLE_SOURCE}(?:,${TEMPLATE_VARIABLE_SOURCE})*$`,
);

/** Names of the variables of a URL template (RFC 6570); undefined if the text is no template. */
export function parseUrlTemplateVariables(template: string): Set<string> | undefined {
  const names = new Set<string>();
  const literal = template.replace(/\{([^{}]*)\}/g, (whole, inside: string) => {
    if (!TEMPLATE_EXPRESSION_INSIDE_PATTERN.test(inside)) return whole;
    for (const variable of inside.replace(/^[+#./;?&]/, '').split(',')) names.add(variable.replace(/(?:\*|:\d+)$/, ''));
    return '';
  });
  return /[{}]/.test(literal) ? undefined : names;
}

function readLinkifierGroupNames(pattern: string): { readonly names?: readonly string[]; readonly problem?: string } {
  try {
    const names = Object.keys(RE2JS.compile(pattern).namedGroups());
    if (isUsableLinkifier({ id: 0, pattern, urlTemplate: '' })) return { names };
    return { problem: `Bad regular expression: pattern too large: ${pattern}` };
  } catch (error) {
    const { description, pattern: at } = readRe2ErrorFields(error);
    if (description === undefined) return { problem: 'Unknown regular expression error' };
    return { problem: `Bad regular expression: ${description}: ${at ?? pattern}` };
  }
}

/** Description and part of the pattern from an error of the RE2 engine. */
function readRe2ErrorFields(error: unknown): {
  readonly description?: string | undefined;
  readonly pattern?: string | undefined;
} {
  const of = error as { getDescription?: () => string; getPattern?: () => string };
  return { description: of.getDescription?.(), pattern: of.getPattern?.() };
}

/** The alphabetically first name in `of` that `from` lacks. */
const findFirstNameMissingFrom = (of: Iterable<string>, from: Iterable<string>): string | undefined => {
  const known = new Set(from);
  return [...of].filter((name) => !known.has(name)).sort()[0];
};

/** Errors of a linkifier's pattern and URL template, in the order in which they are reported; {} = none. */
export function findLinkifierErrors(pattern: string, urlTemplate: string): FieldErrorMessages {
  const errors: Record<string, string[]> = {};
  if (pattern === '') errors.pattern = [BLANK_FIELD_MESSAGE];
  const variables = parseUrlTemplateVariables(urlTemplate);
  if (urlTemplate === '') errors.url_template = [BLANK_FIELD_MESSAGE];
  else if (!variables) errors.url_template = ['Invalid URL template.'];
  const { names = [], problem } = readLinkifierGroupNames(pattern);
  if (problem !== undefined) return { ...errors, __all__: [problem] };
  if (!variables) return errors;
  const unknown = findFirstNameMissingFrom(variables, names);
  const unused = findFirstNameMissingFrom(names, variables);
  if (unknown !== undefined) {
    errors.__all__ = [`Group '${unknown}' in URL template is not present in linkifier pattern.`];
  } else if (unused !== undefined) {
    errors.__all__ = [`Group '${unused}' in linkifier pattern is not present in URL template.`];
  }
  return errors;
}
