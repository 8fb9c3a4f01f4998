/** Kinds of streams: the combinations of privacy that exist, by the name that notices give them (streams.md). Pure. */

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

/** Undefined for a combination that no stream may have. */
export const kindOf = (of: Privacy): string | undefined =>
  KINDS.find(
    ([, kind]) =>
      kind.inviteOnly === of.inviteOnly && kind.historyPublic === of.historyPublic && kind.webPublic === of.webPublic,
  )?.[0];

/** As descriptions are stored. */
export const oneLine = (description: string): string => description.replaceAll('\n', ' ');
