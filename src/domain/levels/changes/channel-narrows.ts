import type { Json } from '#base';
import type { ApiChange, RequestFields } from '../change.js';
import { editJsonText } from '../json.js';

const withStreamOperator = (term: Json): Json =>
  Array.isArray(term) && term[0] === 'channel' ? ['stream', ...(term as Json[]).slice(1)] : term;

const nameOperatorStream = (fields: RequestFields): void =>
  editJsonText(fields, 'narrow', /channel/, (terms) => (Array.isArray(terms) ? terms.map(withStreamOperator) : terms));

/**
 * Only narrows of event queues are translated: narrows of messages have the operator at all levels
 * (`#domain/messages`).
 */
export const CHANNELS_IN_QUEUE_NARROWS: ApiChange = {
  since: 250,
  summary: 'Narrows of event queues have the operator `channel`.',
  requests: { 'register-queue': nameOperatorStream, 'get-events': nameOperatorStream },
};
