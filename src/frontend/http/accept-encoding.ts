/** What a client says in Accept-Encoding (RFC 9110 § 12.5.3). */

/** Clients send one of a few texts again and again. */
let lastText = '';
let lastAnswer = false;

/** Gzip is admitted, and not liked less than an answer as it is. */
export function takesGzip(header: string): boolean {
  if (header === '') return false;
  if (header === lastText) return lastAnswer;
  lastAnswer = judge(header);
  lastText = header;
  return lastAnswer;
}

function judge(header: string): boolean {
  const weights = new Map<string, number>();
  for (const item of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = item.split(';').map((part) => part.trim());
    weights.set(coding === 'x-gzip' ? 'gzip' : coding, weightOf(parameters));
  }
  const gzip = weights.get('gzip') ?? weights.get('*') ?? 0;
  // Not named: always admitted, and liked less than what is named.
  const plain = weights.get('identity') ?? 0;
  return gzip > 0 && gzip >= plain;
}

/** Broken ones are taken for "not at all": an answer as it is harms nobody. */
function weightOf(parameters: readonly string[]): number {
  if (parameters.length === 0) return 1;
  const found = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(parameters[0]!);
  return found && parameters.length === 1 ? Number(found[1]) : 0;
}
