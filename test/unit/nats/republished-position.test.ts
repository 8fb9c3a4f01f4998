import { headers, type Msg } from 'nats';
import t from 'tap';
import { readRepublishedPosition } from '#ports/nats';

/** A message as the client library keeps it, and the same message by the library's interface alone. */
function messageForms(fields: Readonly<Record<string, string>>): Msg[] {
  const decoded = headers();
  for (const [name, value] of Object.entries(fields)) decoded.set(name, value);
  const raw = (decoded as unknown as { encode(): Uint8Array }).encode();
  const received = Buffer.concat([raw, Buffer.from('\r\nNats-Sequence: 99\r\n of the payload')]);
  return [{ _rdata: new Uint8Array(received), _msg: { hdr: raw.length } }, { headers: decoded }] as unknown as Msg[];
}

t.test('the position of a republished entry, and that of the entry before it', (t) => {
  const fields = {
    'Nats-Stream': 'CONCLAVE_EV',
    'Nats-Subject': 'ev.1.Nats-Sequence: 7',
    'Nats-Sequence': '9007199254740991',
    'Nats-Time-Stamp': '2026-11-24T00:00:00Z',
    'Nats-Last-Sequence': '12345',
  };
  for (const message of messageForms(fields))
    t.same(readRepublishedPosition(message), { seq: Number.MAX_SAFE_INTEGER, previousSeq: 12_345 });
  t.end();
});

t.test('headers without positions have position 0', (t) => {
  for (const message of messageForms({ 'Nats-Stream': 'CONCLAVE_EV' }))
    t.same(readRepublishedPosition(message), { seq: 0, previousSeq: 0 });
  t.end();
});

t.test('a message without headers is a transient value', (t) => {
  t.equal(readRepublishedPosition({ _rdata: new Uint8Array(3), _msg: { hdr: -1 } } as unknown as Msg), undefined);
  t.equal(readRepublishedPosition({ headers: undefined } as unknown as Msg), undefined);
  t.end();
});
