/** The table of integrations. */
import type { Json } from '#base';
import { makeMessageOfAlertmanagerPayload, makeMessageOfGrafanaPayload } from './alerts.js';
import type { IncomingIntegration, IntegrationMessage } from './integration.js';
import { withBoundedTexts } from './payload.js';
import { makeMessageOfSlackPayload } from './slack.js';

const makeMessageOfAnyPayload = (payload: Json): IntegrationMessage => ({
  topic: 'JSON',
  content: `\`\`\`json\n${JSON.stringify(payload, null, 2)}\n\`\`\``,
});

/** Maximum of characters of all texts of a payload together: 20 times those of a message. */
const MAX_PAYLOAD_TEXT_CHARACTERS = 200_000;

/**
 * Returns the message of a payload.
 * @returns undefined for a payload that another program has made, or that shows nothing
 */
export const makeMessageOfPayload = (
  { makeMessage }: IncomingIntegration,
  payload: Json,
): IntegrationMessage | undefined => makeMessage(withBoundedTexts(payload, MAX_PAYLOAD_TEXT_CHARACTERS));

/** All integrations, by name in ascending order. */
export const INCOMING_INTEGRATIONS: readonly IncomingIntegration[] = [
  { name: 'alertmanager', displayName: 'Alertmanager', makeMessage: makeMessageOfAlertmanagerPayload },
  { name: 'grafana', displayName: 'Grafana', makeMessage: makeMessageOfGrafanaPayload },
  { name: 'json', displayName: 'JSON formatter', makeMessage: makeMessageOfAnyPayload },
  { name: 'slack_incoming', displayName: 'Slack-compatible webhook', makeMessage: makeMessageOfSlackPayload },
];

const INTEGRATION_BY_NAME = new Map(INCOMING_INTEGRATIONS.map((integration) => [integration.name, integration]));

export const findIncomingIntegration = (name: string): IncomingIntegration | undefined => INTEGRATION_BY_NAME.get(name);
