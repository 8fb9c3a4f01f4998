/** User groups. */
import type { UserId } from '../../core/index.js';

export interface DirectoryGroup {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  /** Direct members, ascending. */
  readonly members: readonly UserId[];
  readonly subgroups: readonly number[];
  readonly system: boolean;
}
