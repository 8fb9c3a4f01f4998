/** Targets of the mentions of a text. */
export type MentionTargets = {
  /** Ids of mentioned users, each once, in the order of the text. */
  readonly users: readonly number[];
  readonly groups: readonly number[];
  /** True for a mention of everybody: `@**all**`, `@**everyone**`, `@**stream**` or the newer `@**channel**`. */
  readonly wildcard: boolean;
  /** True for a mention of those who take part in the topic: the newer `@**topic**`. */
  readonly topic?: true;
};

/** A rendered text: its HTML, its mentions, and facts about its links and files. */
export type MarkdownRenderResult = {
  readonly html: string;
  /** Mentions that notify the mentioned users. */
  readonly mentions: MentionTargets;
  /** Mentions that don't notify: silent forms, and all mentions in quotes. */
  readonly silent: MentionTargets;
  /** True if the HTML has an `<a>`. */
  readonly hasLink: boolean;
  /** True if the HTML has a preview of a picture or video. */
  readonly hasImage: boolean;
  /** True if the text links an upload. The caller decides whether the message may claim the file. */
  readonly hasAttachment: boolean;
  /** Path ids of the uploads that the text links, each once. */
  readonly attachmentPaths: readonly string[];
};

/** A text as a frontend has rendered it. The actor uses it if its own replica of the directory has the same version. */
export type TextRenderedByFrontend = {
  /** Version of the directory whose names, emoji and linkifiers the text has. */
  readonly directoryVersion: number;
  /** null: the text can't be rendered within the limits. */
  readonly result: MarkdownRenderResult | null;
};
