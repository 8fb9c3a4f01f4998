/** Messages about alerts, a line for each: webhooks of Alertmanager and of Grafana, whose payloads are nearly alike. */
import type { Json, JsonObject } from '#base';
import type { IntegrationMessage } from './integration.js';
import {
  joinNonEmpty,
  lineOrEmpty,
  makeMarkdownLink,
  objectOrEmpty,
  objectsOfList,
  textOrEmpty,
  withBoundedTexts,
} from './payload.js';

const ALERT_NAME_LABEL = 'alertname';
const ALERTMANAGER_TOPIC = 'Alertmanager';
const GRAFANA_TOPIC = 'Grafana';
const UNNAMED_ALERT = 'Alert';
/** Maximum of alerts in a message, and of labels or values of one: a message has room for fewer. */
const MAX_SHOWN_ALERTS = 100;
const MAX_SHOWN_VALUES_PER_ALERT = 50;
/** Maximum of characters of all texts of a payload together: 20 times those of a message, which shows few of them. */
const MAX_TEXT_CHARACTERS = 200_000;

export const makeMessageOfAlertmanagerPayload = (payload: Json): IntegrationMessage | undefined =>
  makeMessageOfAlerts(objectOrEmpty(withBoundedTexts(payload, MAX_TEXT_CHARACTERS)), ALERTMANAGER_TOPIC);

export function makeMessageOfGrafanaPayload(payload: Json): IntegrationMessage | undefined {
  const notification = objectOrEmpty(withBoundedTexts(payload, MAX_TEXT_CHARACTERS));
  return makeMessageOfAlerts(notification, GRAFANA_TOPIC) ?? makeMessageOfLegacyGrafanaAlert(notification);
}

function makeMessageOfAlerts(notification: JsonObject, defaultTopic: string): IntegrationMessage | undefined {
  const all = objectsOfList(notification.alerts);
  if (all.length === 0) return undefined;
  const alerts = all.slice(0, MAX_SHOWN_ALERTS);
  const lines = alerts.map(formatAlert);
  const { truncatedAlerts: left } = notification;
  const omitted = all.length - alerts.length + (typeof left === 'number' && left > 0 ? left : 0);
  if (omitted > 0) lines.push(`${omitted} more`);
  const content = lines.length === 1 ? lines[0]! : lines.map((line) => `* ${line}`).join('\n');
  const names = new Set(alerts.map(nameOfAlert));
  return { topic: names.size === 1 ? [...names][0]! || defaultTopic : defaultTopic, content };
}

const nameOfAlert = ({ labels }: JsonObject): string => lineOrEmpty(objectOrEmpty(labels)[ALERT_NAME_LABEL]);

function formatAlert(alert: JsonObject): string {
  const { [ALERT_NAME_LABEL]: _, ...labels } = objectOrEmpty(alert.labels);
  const { summary, description, message } = objectOrEmpty(alert.annotations);
  const links = [alert.panelURL, alert.dashboardURL, alert.generatorURL].map(textOrEmpty);
  return formatAlertLine({
    status: lineOrEmpty(alert.status),
    name: nameOfAlert(alert),
    link: links.find((link) => link !== '') ?? '',
    text: joinNonEmpty([summary, description, message].map(lineOrEmpty), ' – '),
    values: { ...labels, ...objectOrEmpty(alert.values) },
  });
}

/** The payload of Grafana before version 9: one alert, with the name of its rule. */
function makeMessageOfLegacyGrafanaAlert(notification: JsonObject): IntegrationMessage | undefined {
  const { title, ruleName, ruleUrl, state, message, evalMatches } = notification;
  const name = lineOrEmpty(ruleName) || lineOrEmpty(title);
  if (name === '') return undefined;
  const matches = objectsOfList(evalMatches)
    .slice(0, MAX_SHOWN_VALUES_PER_ALERT)
    .map(({ metric, value }) => [lineOrEmpty(metric), value]);
  const content = formatAlertLine({
    status: lineOrEmpty(state),
    name,
    link: textOrEmpty(ruleUrl),
    text: lineOrEmpty(message),
    values: Object.fromEntries(matches) as JsonObject,
  });
  return { topic: name, content };
}

interface AlertLine {
  readonly status: string;
  readonly name: string;
  readonly link: string;
  readonly text: string;
  /** Labels and measured values, by name. */
  readonly values: JsonObject;
}

/** States of an alert that needs no attention. */
const CALM_STATES = new Set(['resolved', 'ok', 'paused']);

function formatAlertLine({ status, name, link, text, values }: AlertLine): string {
  const state = status === '' ? 'Alert' : `${status[0]!.toUpperCase()}${status.slice(1)}`;
  const icon = CALM_STATES.has(status) ? ':squared_ok:' : ':alert:';
  const head = `${icon} **${state}** ${makeMarkdownLink(name || UNNAMED_ALERT, link)}`;
  const shown = Object.entries(values).slice(0, MAX_SHOWN_VALUES_PER_ALERT);
  const details = joinNonEmpty(shown.map(formatAlertValue), ' ');
  return joinNonEmpty([text === '' ? head : `${head}: ${text}`, details], ' ');
}

function formatAlertValue([name, value]: readonly [string, Json | undefined]): string {
  const shown = typeof value === 'number' ? String(value) : lineOrEmpty(value);
  return shown === '' ? '' : `\`${lineOrEmpty(`${name}=${shown}`).replaceAll('`', "'")}\``;
}
