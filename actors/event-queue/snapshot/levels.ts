/** Translates the state of a registration to the API level of its client. */
import type { ResponseFields } from '#base';
import { translatorOfLevel } from '#domain/levels';
import type { RegisterEventQueueArgs } from '#model/commands';

/** Makes the function that translates sections of the state; at the base level it returns them unchanged. */
export function makeSnapshotTranslator({
  options,
  origin,
}: RegisterEventQueueArgs): (fields: ResponseFields) => ResponseFields {
  const translator = translatorOfLevel(options.apiLevel);
  if (!translator) return (fields) => fields;
  const client = { origin, takesEmptyTopicName: options.takesEmptyTopicName === true };
  return (fields) => translator.translateState(fields, client);
}
