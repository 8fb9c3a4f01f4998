/** The forms of one operation at the API levels above the base level. An operation without such forms has no object. */
import { encodeResponseFields } from '#base';
import {
  API_LEVELS,
  type ApiLevel,
  BASE_API_LEVEL,
  type ClientContext,
  type LevelTranslator,
  translatorOfLevel,
} from '#domain/levels';
import { type ApiOperation, hasParametersOfHigherLevels } from '#frontend/api';
import { type FormFields, NO_FORM_FIELDS } from './form-urlencoded.js';
import { type DecodedParameters, RequestParameterReader } from './parameters.js';
import { parseEncodedFields } from './reply.js';

export class OperationLevels {
  readonly #readerByLevel: ReadonlyMap<ApiLevel, RequestParameterReader>;

  private constructor(
    private readonly operation: ApiOperation,
    translators: readonly LevelTranslator[],
  ) {
    this.#readerByLevel = new Map(
      translators.map(({ level }) => [level, new RequestParameterReader(operation, level)]),
    );
  }

  /** Makes the forms of an operation; undefined if all levels share those of the base level. */
  static ofOperation(operation: ApiOperation): OperationLevels | undefined {
    const translators = API_LEVELS.flatMap(({ level }) => translatorOfLevel(level) ?? []);
    const { id, parameters } = operation;
    const isTranslated = translators.some((one) => one.changesRequestsOf(id) || one.changesAnswersOf(id));
    return isTranslated || hasParametersOfHigherLevels(parameters)
      ? new OperationLevels(operation, translators)
      : undefined;
  }

  /**
   * Reads the parameters of a call at a level above the base level, in the form of the base level.
   * @throws ApiError
   */
  decodeAndCheckParameters(
    level: ApiLevel,
    form: FormFields,
    query: FormFields,
    segments: readonly string[],
  ): DecodedParameters {
    const reader = this.#readerByLevel.get(level)!;
    const translator = translatorOfLevel(level)!;
    if (!translator.changesRequestsOf(this.operation.id)) return reader.decodeAndCheckParameters(form, query, segments);
    const fields = new Map(query);
    for (const [name, text] of form) fields.set(name, text);
    translator.translateRequest(this.operation.id, fields);
    // Without form fields only the query has parameters, which is the faster case.
    return form.size === 0
      ? reader.decodeAndCheckParameters(NO_FORM_FIELDS, fields, segments)
      : reader.decodeAndCheckParameters(fields, NO_FORM_FIELDS, segments);
  }

  /** True if answers at this level have another form. */
  changesAnswersAt(level: ApiLevel): boolean {
    return level !== BASE_API_LEVEL && translatorOfLevel(level)!.changesAnswersOf(this.operation.id);
  }

  /** Translates the encoded fields of an answer; an answer that stays as it is is not parsed. */
  translateAnswer(level: ApiLevel, encodedParts: readonly Uint8Array[], client: ClientContext): readonly Uint8Array[] {
    const translator = translatorOfLevel(level)!;
    const { id } = this.operation;
    return translator.mayChangeAnswer(id, encodedParts)
      ? [encodeResponseFields(translator.translateAnswer(id, parseEncodedFields(encodedParts), client))]
      : encodedParts;
  }
}
