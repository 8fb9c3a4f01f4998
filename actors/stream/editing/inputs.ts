import type { Rendered } from '#domain/markdown';
import type { MessageBody, StoredEdit } from '#domain/messages';
import type { Member } from '#domain/streams';
import type { OutboxCommand } from '#model/commands';
import type { MessageRecord } from '#model/records';
import type { Memberships } from './content.js';
import type { Scope } from './scope.js';

export interface EditInputs {
  readonly stored: MessageRecord | null;
  /** null: cannot be rendered. Undefined: the text isn't changed, or can't be one. */
  readonly rendered: Rendered | null | undefined;
  /** Uploaded files that the new text links and the old one did not: those that the sender may claim. */
  readonly files: readonly string[];
  readonly memberships: Memberships;
  /** Only for moves. */
  readonly scope: Scope | undefined;
  /** Whether the mover, and the owner of a bot that moves, are in the target stream. */
  readonly inTarget: ReadonlyMap<number, Member | undefined>;
}

/** What an edit of the text does to the message: changes of the body, and the history's entry. */
export interface NewText {
  readonly body: Partial<MessageBody>;
  readonly edit: Pick<StoredEdit, 'content'>;
  /** For the owners of files that it links now, or not any more. */
  readonly commands: readonly OutboxCommand[];
}
