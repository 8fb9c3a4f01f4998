/** German texts of notices. */
import { PRODUCT_NAME } from '#model/errors';
import type { NoticeTexts } from './english-notices.js';

const formatRetentionPeriod = (days: number): string =>
  days < 0 ? 'Unbegrenzt' : days === 1 ? '1 Tag' : `${days} Tage`;

export const germanNoticeTexts: NoticeTexts = {
  welcome: (newcomer) =>
    [
      `Hallo ${newcomer}, willkommen bei ${PRODUCT_NAME}!`,
      'Nachrichten stehen in Streams, und jede hat ein Thema: Antworte dort, wo ein Gespräch ist, oder beginne ein eigenes. Direktnachrichten wie diese sehen nur du und die Personen, die du auswählst.',
      'Probiere es aus und antworte einfach hier.',
    ].join('\n\n'),
  signedUp: (newcomer, total) => `${newcomer} ist jetzt bei ${PRODUCT_NAME} dabei. (Insgesamt: ${total})`,
  invitationAccepted: (newcomer) => `${newcomer} hat deine Einladung angenommen.`,

  subscribedToStream: (by, stream) => `${by} hat den Stream ${stream} für dich abonniert.`,
  subscribedToStreams: (by, list) => `${by} hat diese Streams für dich abonniert:\n\n${list}`,
  newStream: (by, stream) => `${by} hat den neuen Stream ${stream} erstellt.`,
  newStreams: (by, streams) => `${by} hat neue Streams erstellt: ${streams}.`,
  moreStreams: (n) => `und ${n} ${n === 1 ? 'weiterer' : 'weitere'}`,

  streamCreated: (by, privacy, quote) =>
    `${by} hat diesen Stream erstellt. Zugriff: **${privacy}**. **Beschreibung:**\n${quote}`,
  streamPrivacy: {
    webPublic: 'Öffentlich im Web',
    public: 'Öffentlich',
    privateSharedHistory: 'Privat, gemeinsamer Verlauf',
    privateProtectedHistory: 'Privat, geschützter Verlauf',
  },
  noDescription: '*Keine Beschreibung.*',
  streamPrivacyChanged: (by, from, to) =>
    `${by} hat die [Zugriffsrechte](/help/stream-permissions) dieses Streams von **${from}** in **${to}** geändert.`,
  streamRetentionChanged: (by, from, to) =>
    `${by} hat die [Aufbewahrungsdauer der Nachrichten](/help/message-retention-policy) dieses Streams geändert:\n` +
    `* **Bisherige Dauer**: ${formatRetentionPeriod(from)}\n` +
    `* **Neue Dauer**: ${formatRetentionPeriod(to)}\n\n` +
    (to < 0
      ? 'Nachrichten in diesem Stream werden jetzt unbegrenzt aufbewahrt.'
      : `Nachrichten in diesem Stream werden jetzt ${to === 1 ? 'einen Tag' : `${to} Tage`} nach dem Senden automatisch gelöscht.`),
  streamDescriptionChanged: (by, from, to) =>
    `${by} hat die Beschreibung dieses Streams geändert.\n\n* **Bisherige Beschreibung:**\n${from}\n* **Neue Beschreibung:**\n${to}`,
  streamRenamed: (by, from, to) => `${by} hat den Stream **${from}** in **${to}** umbenannt.`,
  streamPostPolicyChanged: (by, from, to) =>
    `${by} hat geändert, [wer in diesem Stream schreiben darf](/help/stream-sending-policy):\n\n` +
    `* **Bisher**: ${from}.\n* **Jetzt**: ${to}.`,
  streamPostPolicies: {
    1: 'Alle im Stream',
    2: 'Nur die Administration der Organisation',
    3: 'Nur Vollmitglieder der Organisation',
    4: 'Nur Administration und Moderation der Organisation',
  },

  topicResolved: (by) => `${by} hat dieses Thema als gelöst markiert.`,
  topicUnresolved: (by) => `${by} hat dieses Thema als ungelöst markiert.`,
  topicMovedHere: (by, from) => `${by} hat dieses Thema von ${from} hierher verschoben.`,
  messageMovedHere: (by, from, url) => `${by} hat [eine Nachricht](${url}) von ${from} hierher verschoben.`,
  messagesMovedHere: (by, from, count) => `${by} hat ${count} Nachrichten von ${from} hierher verschoben.`,
  topicMovedAway: (by, to) => `${by} hat dieses Thema nach ${to} verschoben.`,
  messageMovedAway: (by, to) => `${by} hat eine Nachricht aus diesem Thema nach ${to} verschoben.`,
  messagesMovedAway: (by, to, count) => `${by} hat ${count} Nachrichten aus diesem Thema nach ${to} verschoben.`,

  addedToGroup: (by, group) => `${by} hat dich in die Gruppe ${group} aufgenommen.`,
  removedFromGroup: (by, group) => `${by} hat dich aus der Gruppe ${group} entfernt.`,
  dataExportStored: (url) => `Dein Datenexport ist fertig und liegt hier:\n\n${url}`,
  scheduledMessageNotSent: (time, reason) =>
    [
      `Deine für ${time} geplante Nachricht wurde nicht gesendet. Der Grund:`,
      `> ${reason}`,
      '[Geplante Nachrichten ansehen](#scheduled)',
    ].join('\n\n'),

  botMessageWithoutSubscribers: (bot, stream) =>
    `${bot} hat eine Nachricht an ${stream} gesendet, aber niemand hat den Stream abonniert.`,
  botMessageWithoutStream: (bot, stream) =>
    `${bot} konnte keine Nachricht an den Stream ${stream} senden, weil es ihn nicht gibt.`,

  webhookCallsDropped: (bot) =>
    `Nachrichten an ${bot} wurden nicht weitergegeben: Zu viele warten schon auf seinen Server.`,
  webhookReplyRefused: (bot, message, reason) => `${bot} konnte auf ${message} nicht antworten: ${reason}`,
  webhookReplyUnclear: (bot, message, reason) => `${bot} wurde über ${message} informiert, aber ${reason}.`,
  webhookNotCalled: (bot, message, reason) => `${bot} wurde über ${message} nicht informiert: ${reason}.`,
  reportedMessage: {
    direct: 'eine Direktnachricht',
    hidden: 'eine Nachricht, die du nicht lesen darfst,',
    linked: (url) => `[eine Nachricht](${url})`,
  },
  webhookFaults: {
    noWebServer: () => 'seine Adresse gehört zu keinem Webserver',
    forbiddenAddress: () => 'seine Adresse darf von diesem Server nicht aufgerufen werden',
    noDirectMessages: () => 'sein Format kennt keine Direktnachrichten',
    voidToken: () =>
      'sein Token ist ungültig, seit das Geheimnis des Servers geändert wurde; seine Einstellungen zeigen ein neues',
    unreachable: (detail) => `sein Server war nicht erreichbar (${detail})`,
    unreachableAddress: () => 'sein Server war nicht erreichbar (keine Adresse, die dieser Server aufruft)',
    timeout: () => 'sein Server brauchte länger als 10 Sekunden',
    connectionBroke: (detail) => `die Verbindung brach ab (${detail})`,
    answerBroke: () => 'die Verbindung brach während der Antwort ab',
    answerTooLong: () => 'seine Antwort war zu lang',
    status: (detail) => `sein Server antwortete mit Status ${detail}`,
    notJson: () => 'seine Antwort ist kein JSON',
    notObject: () => 'seine Antwort ist kein JSON-Objekt',
    notText: () => 'seine Antwort enthält keinen Text',
  },
};
