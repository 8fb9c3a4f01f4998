/** Custom emoji. */
import type { UserId } from '#model';

export interface DirectoryEmoji {
  readonly id: number;
  readonly name: string;
  /** Path of the emoji's picture under the organization's base URL. */
  readonly url: string;
  readonly stillUrl: string | null;
  readonly deactivated: boolean;
  readonly author: UserId | null;
}
