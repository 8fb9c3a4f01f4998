/** Characters that stand for themselves in a value (RFC 6570, section 3.2.1); `encodeURIComponent` leaves five more. */
const encodeUnreserved = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * Address of a playground with the code: of a URL template (RFC 6570) with the variable `code`, as clients of newer API
 * levels store them, or a prefix that the code follows.
 */
export function makePlaygroundUrl(template: string, code: string): string {
  const value = encodeUnreserved(code);
  if (!/\{[+#./;?&]?code\}/.test(template)) return template + value;
  return template.replace(/\{([+#./;?&]?)code\}/g, (_, operator: string) => {
    if (operator === '+') return encodeURI(code);
    if (operator === '#') return `#${encodeURI(code)}`;
    if (operator === '?' || operator === '&' || operator === ';') return `${operator}code=${value}`;
    return operator + value;
  });
}
