import t from 'tap';
import { ApiError, type ApiErrorName, apiError } from '#model/errors';
import {
  errorResponseBody,
  errorResponseHeaders,
  successBodyOfEncodedFields,
  successBodyOfFields,
} from '../../../src/frontend/http/reply.js';
import type { ResponseBodyPart } from '../../../src/frontend/http/server.js';
import { API_ERROR_CATALOGUE } from '../../../src/model/errors/catalogue.js';

const text = (parts: readonly ResponseBodyPart[]): string =>
  parts.map((part) => (typeof part === 'string' ? part : Buffer.from(part).toString())).join('');

t.test('a success has its envelope first and ends with a newline', async (t) => {
  t.equal(text(successBodyOfFields({}, undefined)), '{"result":"success","msg":""}\n');
  t.equal(text(successBodyOfFields({ id: 1 }, undefined)), '{"result":"success","msg":"","id":1}\n');
  t.equal(text(successBodyOfEncodedFields([], undefined)), '{"result":"success","msg":""}\n');
  t.equal(
    text(successBodyOfEncodedFields([Buffer.from(',"a":1'), Buffer.from(''), Buffer.from(',"b":"ä"')], undefined)),
    '{"result":"success","msg":"","a":1,"b":"ä"}\n',
  );
});

t.test('ignored parameters are in every kind of success', async (t) => {
  const ignored = ['a"b', 'c'];
  for (const body of [
    successBodyOfFields({ id: 1 }, ignored),
    successBodyOfFields({ id: 1, msg: '' }, ignored),
    successBodyOfEncodedFields([Buffer.from(',"id":1')], ignored),
  ]) {
    t.same(JSON.parse(text(body)), { result: 'success', msg: '', id: 1, ignored_parameters_unsupported: ignored });
  }
});

t.test('an operation may set result and msg itself', async (t) => {
  const body = text(successBodyOfFields({ result: 'partially_completed', code: 'REQUEST_TIMEOUT' }, undefined));
  t.equal(body, '{"result":"partially_completed","msg":"","code":"REQUEST_TIMEOUT"}\n');
});

t.test('every error of the catalogue is encoded with code, message and data', async (t) => {
  for (const name of Object.keys(API_ERROR_CATALOGUE) as ApiErrorName[]) {
    const error = new ApiError(name, { allowed_methods: ['GET', 'PUT'] }).toReply();
    t.ok(errorResponseHeaders(error).flatNamesAndValues.includes('Cache-Control'));
    if (error.html) {
      t.equal(Object.fromEntries(errorResponseHeaders(error).pairs)['Content-Type'], 'text/html; charset=utf-8');
      t.equal(text(errorResponseBody(error)), error.msg, 'a page is the message alone');
      continue;
    }
    const body = JSON.parse(text(errorResponseBody(error))) as Record<string, unknown>;
    t.equal(body.result, 'error', name);
    t.equal(body.msg, error.msg);
    t.equal(body.code, error.code);
  }
});

t.test('statuses bring their headers', async (t) => {
  const headers = (error: ApiError): Record<string, string> =>
    Object.fromEntries(errorResponseHeaders(error.toReply()).pairs);
  t.match(headers(apiError('NOT_LOGGED_IN')), { 'WWW-Authenticate': 'Basic realm="Conclave"' });
  t.match(headers(apiError('METHOD_NOT_ALLOWED', { allowed_methods: ['GET', 'POST'] })), { Allow: 'GET, POST' });
  t.match(headers(apiError('RATE_LIMIT_HIT', { 'retry-after': 1.2 })), { 'Retry-After': '2' });
  t.notOk(headers(apiError('RATE_LIMIT_HIT', { 'retry-after': null }))['Retry-After']);
  t.match(headers(apiError('SERVICE_UNAVAILABLE')), { 'Retry-After': '1' });
  const page = { status: 429, msg: '<p>Too often.</p>', html: true, extra: { 'retry-after': 1.2 } } as const;
  const ofPage = Object.fromEntries(errorResponseHeaders(page).pairs);
  t.match(ofPage, { 'Content-Type': 'text/html; charset=utf-8', 'Retry-After': '2' }, 'a page has the header, too');
});
