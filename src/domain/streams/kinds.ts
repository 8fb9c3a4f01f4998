/** Kinds of streams: the valid combinations of privacy, and their names in notices (streams.md). Pure. */

export interface Privacy {
  readonly inviteOnly: boolean;
  readonly historyPublic: boolean;
  readonly webPublic: boolean;
}

const KINDS: readonly (readonly [string, Privacy])[] = [
  ['Web-public', { inviteOnly: false, historyPublic: true, webPublic: true }],
  ['Public', { inviteOnly: false, historyPublic: true, webPublic: false }],
  ['Private, shared history', { inviteOnly: true, historyPublic: true, webPublic: false }],
  ['Private, protected history', { inviteOnly: true, historyPublic: false, webPublic: false }],
];

/** The name of a combination. Undefined if no stream may have it. */
export const kindOf = (of: Privacy): string | undefined =>
  KINDS.find(
    ([, kind]) =>
      kind.inviteOnly === of.inviteOnly && kind.historyPublic === of.historyPublic && kind.webPublic === of.webPublic,
  )?.[0];

/** The stored form of a description. */
export const oneLine = (description: string): string => description.replaceAll('\n', ' ');
