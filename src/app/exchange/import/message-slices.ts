/**
 * Messages of a slice as JSON, for a thread. Each message is a list of values: with objects, the names of the fields
 * would be most of the text, which then takes three times as long to write and to read.
 */
import type { JsonObject } from '#base';
import type { MessageBody } from '#domain/messages';
import type { MessageRecord } from '#model/records';
import type { MessagesToStore, UnrenderedMessage, UnrenderedMessageEdit } from './message-writer.js';

type BodyValues = readonly [
  content: string,
  html: string,
  topic: string,
  sent: number,
  client: string,
  recipient: number,
  stream: number,
  rev: number,
  flags: MessageBody['flags'],
  wildcard: boolean,
  topicLinks: MessageBody['topicLinks'],
  hasLink: boolean,
  hasImage: boolean,
  others: JsonObject,
];

type RecordValues = readonly [
  id: number,
  conversation: string,
  topicKey: string,
  sender: number,
  participants: readonly number[],
  movedFrom: string,
  tags: readonly string[],
  body: BodyValues,
];

type UnrenderedValues = readonly [
  id: number,
  sender: number,
  participants: readonly number[],
  originStream: number,
  directConversation: string,
  newerMentions: boolean,
  edits: readonly UnrenderedMessageEdit[],
  body: BodyValues,
];

function toBodyValues(body: MessageBody): BodyValues {
  const { content, html, topic, sent, client, recipient, stream, rev, flags, wildcard, topicLinks, has, ...others } =
    body;
  return [
    content,
    html,
    topic,
    sent,
    client,
    recipient,
    stream,
    rev,
    flags,
    wildcard,
    topicLinks,
    has.link,
    has.image,
    others,
  ];
}

function toBody(values: BodyValues): MessageBody {
  const [content, html, topic, sent, client, recipient, stream, rev, flags, wildcard, topicLinks, link, image, others] =
    values;
  const has = { link, image };
  return { content, html, topic, sent, client, recipient, stream, rev, flags, wildcard, topicLinks, has, ...others };
}

const toRecordValues = (record: MessageRecord): RecordValues => {
  const { id, conversation, topicKey, sender, participants, movedFrom, tags, body } = record;
  return [id, conversation, topicKey, sender, participants, movedFrom, tags, toBodyValues(body as MessageBody)];
};

const toRecord = ([id, conversation, topicKey, sender, participants, movedFrom, tags, body]: RecordValues) => ({
  id,
  conversation,
  topicKey,
  sender,
  participants,
  movedFrom,
  tags,
  body: toBody(body),
});

const toUnrenderedValues = (message: UnrenderedMessage): UnrenderedValues => {
  const { id, sender, participants, originStream, directConversation, newerMentions, edits, body } = message;
  return [id, sender, participants, originStream, directConversation, newerMentions, edits, toBodyValues(body)];
};

const toUnrendered = (values: UnrenderedValues): UnrenderedMessage => {
  const [id, sender, participants, originStream, directConversation, newerMentions, edits, body] = values;
  return { id, sender, participants, originStream, directConversation, newerMentions, edits, body: toBody(body) };
};

export const encodeMessageSlice = ({ rendered, unrendered }: MessagesToStore): string =>
  JSON.stringify([rendered.map(toRecordValues), unrendered.map(toUnrenderedValues)]);

export function decodeMessageSlice(json: string): MessagesToStore {
  const [rendered, unrendered] = JSON.parse(json) as [RecordValues[], UnrenderedValues[]];
  return { rendered: rendered.map(toRecord), unrendered: unrendered.map(toUnrendered) };
}
