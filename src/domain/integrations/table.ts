/** The table of integrations. */
import type { Json } from '#base';
import { makeMessageOfAlertmanagerPayload, makeMessageOfGrafanaPayload } from './alerts.js';
import type { IncomingIntegration, IntegrationMessage } from './integration.js';
import { makeMessageOfSlackPayload } from './slack.js';

const makeMessageOfAnyPayload = (payload: Json): IntegrationMessage => ({
  topic: 'JSON',
  content: `\`\`\`json\n${JSON.stringify(payload, null, 2)}\n\`\`\``,
});

/** All integrations, by name in ascending order. */
export const INCOMING_INTEGRATIONS: readonly IncomingIntegration[] = [
  { name: 'alertmanager', displayName: 'Alertmanager', makeMessage: makeMessageOfAlertmanagerPayload },
  { name: 'grafana', displayName: 'Grafana', makeMessage: makeMessageOfGrafanaPayload },
  { name: 'json', displayName: 'JSON formatter', makeMessage: makeMessageOfAnyPayload },
  { name: 'slack_incoming', displayName: 'Slack-compatible webhook', makeMessage: makeMessageOfSlackPayload },
];

const INTEGRATION_BY_NAME = new Map(INCOMING_INTEGRATIONS.map((integration) => [integration.name, integration]));

export const findIncomingIntegration = (name: string): IncomingIntegration | undefined => INTEGRATION_BY_NAME.get(name);
