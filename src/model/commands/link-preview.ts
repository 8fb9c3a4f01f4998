import { makeCommandDeclarer } from './command.js';

const declareCommand = makeCommandDeclarer<'links'>();

/** Links of a message whose pages are fetched for previews. */
export type FetchLinkedPagesArgs = {
  readonly message: number;
  /** Key of the actor that owns the message. */
  readonly conversation: string;
  /** URLs of the pages, in the order of the links. */
  readonly urls: readonly string[];
};

/** Commands of the actor that fetches the pages that messages of an organization link. */
export const linkPreviewActorCommands = {
  /** Queues the links of a message. The command is never refused. */
  fetchLinks: declareCommand<FetchLinkedPagesArgs>('fetch'),
  /** Sent by the actor's timer: fetches the pages of queued links. */
  due: declareCommand('due'),
};
