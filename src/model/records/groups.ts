/** Records of user groups in the directory. */
import type { UserId } from '#model';

export interface DirectoryUserGroup {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  /** Ids of direct members, ascending. */
  readonly members: readonly UserId[];
  readonly subgroups: readonly number[];
  readonly system: boolean;
}
