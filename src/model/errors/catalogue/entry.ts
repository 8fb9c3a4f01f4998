/** One refusal of the catalogue. */
export interface CatalogueEntry {
  /** Absent: the answer has no `code`. */
  readonly code?: string;
  readonly status: number;
  /** `{name}` is replaced by the value given for it, `{product}` by the product name. */
  readonly msg: string;
  /** Values that become fields of the answer. */
  readonly data?: readonly string[];
  /** The same request may succeed later, unchanged. */
  readonly retryable?: true;
  /** Answered as a page, for addresses that browsers open. */
  readonly html?: true;
}

export const bad = <const M extends string>(msg: M) => ({ code: 'BAD_REQUEST', status: 400, msg }) as const;
