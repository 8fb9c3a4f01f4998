/** Default stream groups (streams.md § Default stream groups). Pure. */
import type { JsonObject } from '#base';
import type { DirectoryStream, DirectoryStreamGroup } from '#model/records';
import { byName } from './names.js';
import { presentStream } from './present-stream.js';

/**
 * The list of groups for clients, by name. All members get the same list, so it leaves out private streams, which an
 * administrator may have added.
 */
export const presentStreamGroups = (
  groups: readonly DirectoryStreamGroup[],
  find: (id: number) => DirectoryStream | undefined,
): JsonObject[] =>
  [...groups].sort(byName).map(({ id, name, description, streams }) => ({
    id,
    name,
    description,
    streams: streams
      .map(find)
      .filter((stream): stream is DirectoryStream => stream !== undefined && !stream.archived && !stream.inviteOnly)
      .sort(byName)
      .map(presentStream),
  }));
