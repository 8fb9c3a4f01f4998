import t from 'tap';
import { Type } from 'typebox';
import type { ApiOperation, HttpMethod, ParameterDeclarations } from '#frontend/api';
import { HttpRouter, pathSegmentsOfOperation } from '../../../src/frontend/http/route.js';
import { declare } from './support.js';

const uint = { in: 'path', encoding: 'uint', schema: Type.Integer(), required: true } as const;
const text = { in: 'path', encoding: 'string', schema: Type.String(), required: true } as const;

function op(method: HttpMethod, path: string, parameters: ParameterDeclarations = {}): ApiOperation {
  return declare({ id: `${method} ${path}`, method, path, parameters });
}

function router(operations: readonly ApiOperation[]): HttpRouter<string> {
  const made = new HttpRouter<string>();
  for (const o of operations) made.addTarget(o.method, pathSegmentsOfOperation('/api/v1', o), o.id);
  return made;
}

const users = router([
  op('GET', '/users/me'),
  op('GET', '/users/{user_id}', { user_id: uint }),
  op('PATCH', '/users/{user_id}', { user_id: uint }),
  op('GET', '/users/{email}', { email: text }),
  op('POST', '/users/me/presence'),
  op('GET', '/users/{who}/presence', { who: text }),
  op('GET', '/users/me/{stream_id}/topics', { stream_id: uint }),
  op('GET', '/users/{user_id}/subscriptions/{stream_id}', { user_id: uint, stream_id: uint }),
]);
const get = (path: string): readonly [string | undefined, readonly string[]] | undefined => {
  const found = users.findRouteOfPath(`/api/v1${path}`);
  return found && [found.route.targetsByMethod.get('GET'), found.segmentValues];
};

t.test('fixed text precedes integers, and integers any text', async (t) => {
  t.same(get('/users/me'), ['GET /users/me', []]);
  t.same(get('/users/17'), ['GET /users/{user_id}', ['17']]);
  t.same(get('/users/a@b.c'), ['GET /users/{email}', ['a@b.c']]);
  t.same(get('/users/-1'), ['GET /users/{email}', ['-1']]);
  t.same(get('/users/17x'), ['GET /users/{email}', ['17x']]);
});

t.test('a fixed segment that leads nowhere falls back to a variable one', async (t) => {
  t.same(get('/users/me/presence')?.[0], undefined, 'its own pattern has only POST');
  t.same(get('/users/5/presence'), ['GET /users/{who}/presence', ['5']]);
  t.same(get('/users/me/7/topics'), ['GET /users/me/{stream_id}/topics', ['7']]);
  t.same(get('/users/3/subscriptions/4'), ['GET /users/{user_id}/subscriptions/{stream_id}', ['3', '4']]);
  t.equal(get('/users/me/x/topics'), undefined, 'integer segments match digits only');
});

t.test('methods belong to the pattern that matches first', async (t) => {
  t.same(users.findRouteOfPath('/api/v1/users/17')?.route.allowedMethods, ['GET', 'PATCH']);
  t.same(users.findRouteOfPath('/api/v1/users/x')?.route.allowedMethods, ['GET']);
});

t.test('segments are percent-decoded after splitting; bad escapes match nothing', async (t) => {
  t.same(get('/users/a%40b.c'), ['GET /users/{email}', ['a@b.c']]);
  t.same(get('/users/a%2Fb'), ['GET /users/{email}', ['a/b']]);
  t.same(get('/%75sers/me'), ['GET /users/me', []]);
  for (const path of ['/users/%', '/users/%zz', '/users/%ff', '/users/%ED%A0%80']) t.equal(get(path), undefined, path);
});

t.test('other paths are not found', async (t) => {
  for (const path of ['', '/', '/users', '/users/', '/users/me/', '//users/me', '/users//presence', '/USERS/me']) {
    t.equal(get(path), undefined, path);
  }
  t.equal(users.findRouteOfPath('users/me'), undefined);
  t.equal(users.findRouteOfPath(`/api/v1${'/x'.repeat(5000)}`), undefined);
  t.equal(users.findRouteOfPath('/users/me'), undefined, 'without the prefix');
});

t.test('two operations on one pattern and method are refused, as is an undeclared segment', async (t) => {
  t.throws(() => router([op('GET', '/a'), op('GET', '/a')]), /two operations on GET/);
  t.throws(() => router([op('GET', '/a/{x}', { x: uint }), op('GET', '/a/{y}', { y: uint })]), /two operations/);
  t.throws(() => router([op('GET', '/a/{x}')]), /not declared/);
});

t.test('the rest of a path is one value, and the last segment', async (t) => {
  const rest = { ...text, rest: true } as const;
  const files = router([
    op('GET', '/files/{realm}/{path}', { realm: uint, path: rest }),
    op('GET', '/files/{realm}/{path}/info', { realm: uint, path: text }),
  ]);
  const at = (path: string) => {
    const found = files.findRouteOfPath(`/api/v1${path}`);
    return found && [found.route.targetsByMethod.get('GET'), found.segmentValues];
  };
  t.same(at('/files/7/a'), ['GET /files/{realm}/{path}', ['7', 'a']]);
  t.same(at('/files/7/a/b%2Fc/d'), ['GET /files/{realm}/{path}', ['7', 'a/b/c/d']]);
  t.same(at('/files/7/a/info'), ['GET /files/{realm}/{path}/info', ['7', 'a']]);
  t.same(at('/files/7/a/b/info'), ['GET /files/{realm}/{path}', ['7', 'a/b/info']]);
  t.equal(at('/files/7'), undefined, 'it is not empty');
  t.equal(at('/files/7/'), undefined);
  t.equal(at('/files/x/a'), undefined);
});
