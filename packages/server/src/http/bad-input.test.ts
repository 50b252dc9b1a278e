/** Bad input, as a table: what is sent, and the status, code and field of the refusal. Nothing of it may be counted. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { startNodeOn, STORES, type HttpNode } from '../../../../test/support/http-node.ts';

const JSON_HEADERS = { 'content-type': 'application/json' };
const MAX_BODY_BYTES = 1024 * 1024;

interface Bad {
  readonly what: string;
  readonly path: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly status: number;
  readonly code: number;
  readonly field?: string;
  readonly index?: number;
}

const post = (path: string, what: string, body: string | Buffer, refusal: Pick<Bad, 'status' | 'code' | 'field' | 'index'>): Bad => ({
  what,
  path,
  method: 'POST',
  headers: JSON_HEADERS,
  body,
  ...refusal,
});

const argument = (field: string, index?: number): Pick<Bad, 'status' | 'code' | 'field' | 'index'> => ({ status: 400, code: 10003, field, ...(index !== undefined && { index }) });
const key = (field: string, index?: number): Pick<Bad, 'status' | 'code' | 'field' | 'index'> => ({ ...argument(field, index), code: 10004 });
const amount = (field: string, index?: number): Pick<Bad, 'status' | 'code' | 'field' | 'index'> => ({ ...argument(field, index), code: 10005 });
const unknown = (field: string, index?: number): Pick<Bad, 'status' | 'code' | 'field' | 'index'> => ({ ...argument(field, index), code: 10007 });
const malformed = { status: 400, code: 10008 };

const LONG = 'x'.repeat(513);
const BAD_AMOUNTS = ['1.5', '-0.5', 'null', 'true', '"1"', '" 1 "', '"5abc"', '"0x10"', '"1e3"', '""', '[]', '{}', '1e21', '9007199254740993', '"9007199254740993"', '-9007199254740992', '1e400', '9007199254740991.4', '1e-400'];
const BAD_KEYS = ['""', '5', 'null', '{}', '["a"]', `"${LONG}"`, `"${'😀'.repeat(129)}"`, '"\\ud800"', '"a\\udc00b"'];

const like = (what: string, body: string | Buffer, refusal: Pick<Bad, 'status' | 'code' | 'field' | 'index'>): Bad => post('/api/counter/like', what, body, refusal);
const addMany = (what: string, items: string, refusal: Pick<Bad, 'status' | 'code' | 'field' | 'index'>): Bad =>
  post('/v1/counters/add', what, `{"items":${items}}`, refusal);
const frequency = (what: string, body: string, refusal: Pick<Bad, 'status' | 'code' | 'field' | 'index'>): Bad => post('/v1/frequency/add', what, body, refusal);

const TABLE: readonly Bad[] = [
  // the body as a whole
  like('no JSON', '{"userId":', malformed),
  like('NaN', '{"userId":"u","resourceId":NaN}', malformed),
  like('not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), malformed),
  like('empty', '', argument('body')),
  like('an array', '[]', argument('body')),
  like('a string', '"x"', argument('body')),
  like('null', 'null', argument('body')),
  like('too long', `"${'x'.repeat(MAX_BODY_BYTES)}"`, { status: 413, code: 10010 }),
  { what: 'a form', path: '/api/counter/like', method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'userId=u', status: 415, code: 10014 },
  { what: 'text', path: '/v1/counters/target', method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}', status: 415, code: 10014 },
  // fields
  like('an unknown field', '{"userId":"u","resourceId":"target","uid":1}', unknown('uid')),
  like('__proto__', '{"userId":"u","resourceId":"target","__proto__":{"a":1}}', unknown('__proto__')),
  like('constructor', '{"userId":"u","resourceId":"target","constructor":{"prototype":{}}}', unknown('constructor')),
  like('no user', '{"resourceId":"target"}', argument('userId')),
  like('a number as user', '{"userId":1,"resourceId":"target"}', argument('userId')),
  like('a user of 513 characters', `{"userId":"${LONG}","resourceId":"target"}`, argument('userId')),
  like('an empty request id', '{"userId":"u","resourceId":"target","requestId":""}', argument('requestId')),
  like('a long request id', `{"userId":"u","resourceId":"target","requestId":"${'x'.repeat(129)}"}`, argument('requestId')),
  like('a lifetime of no request id', '{"userId":"u","resourceId":"target","requestTtlMs":5}', argument('requestTtlMs')),
  ...BAD_KEYS.map((bad) => like(`resource ${bad.slice(0, 20)}`, `{"userId":"u","resourceId":${bad}}`, key('resourceId'))),
  ...BAD_KEYS.map((bad) => post('/api/counter/batch-count', `resource ${bad.slice(0, 20)}`, `{"resourceIds":["target",${bad}]}`, key('resourceIds[1]', 1))),
  post('/api/counter/batch-count', 'no list', '{"resourceIds":"target"}', argument('resourceIds')),
  { what: 'a long resource', path: `/api/counter/count/${LONG}`, ...key('resourceId') },
  { what: 'a query', path: '/api/counter/count/target?exact=1', ...unknown('exact') },
  { what: 'a broken percent code', path: '/api/counter/count/%ED%A0%80', ...malformed },
  // one counter
  ...BAD_AMOUNTS.map((bad) => post('/v1/counters/target', `delta ${bad}`, `{"delta":${bad}}`, amount('delta'))),
  post('/v1/counters/target', 'min 1.5', '{"min":1.5}', amount('min')),
  post('/v1/counters/target', 'max as text', '{"max":"9"}', amount('max')),
  post('/v1/counters/target', 'min above max', '{"min":2,"max":1}', argument('min')),
  post('/v1/counters/target', 'a lifetime of 0', '{"ttlMs":0}', argument('ttlMs')),
  post('/v1/counters/target', 'an unknown type', '{"type":"sharp"}', argument('type')),
  post('/v1/counters/target', 'a window of a simple counter', '{"windowMs":5}', argument('windowMs')),
  post('/v1/counters/target', 'no window', '{"type":"sliding-log"}', argument('windowMs')),
  post('/v1/counters/target', 'no member', '{"type":"unique","windowMs":1000}', key('member')),
  post('/v1/counters/target', 'a member of a simple counter', '{"member":"m"}', argument('member')),
  post('/v1/counters/target', '0 slices', '{"type":"sliding-window","windowMs":1000,"slices":0}', argument('slices')),
  post('/v1/counters/target', 'an unknown field', '{"amount":1}', unknown('amount')),
  post('/v1/counters/target', 'a deadline of its own', '{"timeoutMs":1}', unknown('timeoutMs')),
  post(`/v1/counters/${LONG}`, 'a long key', '{}', key('key')),
  { what: 'a window that is no number', path: '/v1/counters/target?type=sliding-log&windowMs=5s', ...argument('windowMs') },
  { what: 'a field twice', path: '/v1/counters/target?type=simple&type=unique', ...argument('type') },
  { what: 'an unknown query field', path: '/v1/counters/target?window=5', ...unknown('window') },
  // batches: one bad item refuses all
  addMany('no list', '{}', argument('items')),
  addMany('an item that is no object', '[{"key":"target"},"target"]', argument('items[1]', 1)),
  addMany('an item that is null', '[{"key":"target"},null]', argument('items[1]', 1)),
  addMany('an item without key', '[{"key":"target"},{"delta":1}]', key('items[1].key', 1)),
  addMany('an item with an unknown field', '[{"key":"target"},{"key":"b","dleta":1}]', unknown('items[1].dleta', 1)),
  ...BAD_AMOUNTS.map((bad) => addMany(`delta ${bad}`, `[{"key":"target"},{"key":"target","delta":${bad}}]`, amount('items[1].delta', 1))),
  ...BAD_KEYS.map((bad) => addMany(`key ${bad.slice(0, 20)}`, `[{"key":"target"},{"key":${bad}}]`, key('items[1].key', 1))),
  addMany('too many', `[${Array.from({ length: 1001 }, () => '{"key":"target"}').join()}]`, { status: 413, code: 10009, field: 'items' }),
  post('/v1/counters/add', 'a bad request id', '{"items":[{"key":"target"}],"requestId":5}', argument('requestId')),
  post('/v1/counters/add', 'a bad lifetime of it', '{"items":[{"key":"target"}],"requestId":"r","requestTtlMs":0.5}', argument('requestTtlMs')),
  post('/v1/counters/get', 'a bad key', '{"keys":["target",""]}', key('keys[1]', 1)),
  post('/v1/counters/get', 'a key that is a number', '{"keys":["target",5]}', argument('keys[1]', 1)),
  post('/v1/counters/get', 'an unknown field', '{"keys":[{"key":"target","delta":1}]}', unknown('keys[0].delta', 0)),
  // frequency
  frequency('no business', '{"key":"target","time_span":1}', argument('business_id')),
  frequency('a negative business', '{"business_id":-1,"key":"target","time_span":1}', argument('business_id')),
  frequency('a business beyond uint32', '{"business_id":4294967296,"key":"target","time_span":1}', argument('business_id')),
  frequency('a span of 0', '{"business_id":1,"key":"target","time_span":0}', argument('time_span')),
  frequency('a span of half a second', '{"business_id":1,"key":"target","time_span":0.5}', argument('time_span')),
  frequency('more days than seconds fit', '{"business_id":1,"key":"target","time_span":49711,"time_unit":"DAY"}', argument('time_span')),
  frequency('an unknown unit', '{"business_id":1,"key":"target","time_span":1,"time_unit":"HOUR"}', argument('time_unit')),
  frequency('a unit of another type', '{"business_id":1,"key":"target","time_span":1,"time_unit":null}', argument('time_unit')),
  frequency('camel case', '{"businessId":1,"key":"target","time_span":1}', unknown('businessId')),
  frequency('a lifetime of no request id', '{"business_id":1,"key":"target","time_span":1,"request_ttl_ms":5}', argument('request_ttl_ms')),
  frequency('no lifetime', '{"business_id":1,"key":"target","time_span":1,"request_id":"r","request_ttl_ms":0}', argument('request_ttl_ms')),
  ...BAD_KEYS.map((bad) => frequency(`key ${bad.slice(0, 20)}`, `{"business_id":1,"key":${bad},"time_span":1}`, key('key'))),
  post('/v1/frequency/batch-add', 'one bad request', '{"requests":[{"business_id":1,"key":"target","time_span":1},{"business_id":1,"key":"","time_span":1}]}', key('requests[1].key', 1)),
  post('/v1/frequency/batch-add', 'one long key', `{"requests":[{"business_id":1,"key":"target","time_span":1},{"business_id":1,"key":"${LONG}","time_span":1}]}`, key('requests[1].key', 1)),
  post('/v1/frequency/batch-get', 'no list', '{}', argument('requests')),
  // routes
  { what: 'no such route', path: '/v2/counters/target', status: 404, code: 10012 },
  { what: 'a wrong method', path: '/api/counter/like', status: 405, code: 10013 },
  { what: 'a wrong method with a body', path: '/v1/counters/target', method: 'PUT', headers: { 'content-type': 'text/plain' }, body: 'x', status: 405, code: 10013 },
  { what: 'a method of WebDAV', path: '/v1/counters/target', method: 'PROPFIND', status: 405, code: 10013 },
  { what: 'a method of WebDAV, no route', path: '/v2/counters/target', method: 'PROPFIND', status: 404, code: 10012 },
  { what: 'DELETE', path: '/v1/counters/target', method: 'DELETE', status: 405, code: 10013 },
];

/** Heads that Node refuses by itself. */
const HEADS = [
  { what: 'no host', head: 'content-length: 0\r\n', answer: /^HTTP\/1\.1 400 [\s\S]*"code":10008.*"field":"host"/ },
  { what: 'an expectation', head: 'host: x\r\nexpect: a miracle\r\ncontent-length: 2\r\n', answer: /^HTTP\/1\.1 417 [\s\S]*"code":10015.*"field":"expect"/ },
];

for (const store of Object.keys(STORES)) {
  describe(`bad input over HTTP, ${store} store`, () => {
    let node: HttpNode;
    before(async () => {
      node = await startNodeOn(store);
    });
    after(() => node.close());

    for (const { what, path, status, code, field, index, method = 'GET', headers = {}, body } of TABLE) {
      it(`is refused: ${method} ${path.slice(0, 40)}, ${what}`, async () => {
        const answer = await node.call(path, { method, headers, ...(body !== undefined && { body }) });
        const { msg, ...rest } = answer.body ?? {};
        assert.deepEqual(rest, { code, data: null, ...(field !== undefined && { field }), ...(index !== undefined && { index }) });
        assert.equal(answer.status, status);
        assert.ok(typeof msg === 'string' && msg.length > 10 && msg.length < 300, `msg ${String(msg)}`);
      });
    }

    it('is refused: what is not HTTP', async () => {
      const socket = connect(node.port, '127.0.0.1');
      socket.end('HELO tallystick\r\n\r\n');
      assert.match(await text(socket), /^HTTP\/1\.1 400 [\s\S]*"code":10008/);
    });

    for (const { what, head, answer } of HEADS) {
      it(`is refused: ${what}`, async () => {
        const socket = connect(node.port, '127.0.0.1');
        socket.write(`POST /v1/counters/target HTTP/1.1\r\n${head}\r\n`);
        assert.match(await text(socket), answer);
      });
    }

    it('is refused: a head without end', async () => {
      const socket = connect(node.port, '127.0.0.1');
      socket.write(`GET /${'x'.repeat(20_000)} HTTP/1.1\r\n`);
      assert.match(await text(socket), /^HTTP\/1\.1 413 [\s\S]*"code":10010/);
    });

    it('left nothing counted, and the node well', async () => {
      for (const path of ['/api/counter/count/target', '/v1/counters/target', '/v1/counters/b']) {
        const { body } = await node.get(path);
        assert.equal((body?.['data'] as { count: number } | undefined)?.count ?? body?.['value'], 0, path);
      }
      const read = await node.post('/v1/frequency/get', { business_id: 1, key: 'target' });
      assert.equal(read.body?.['code'], 10002);
      assert.deepEqual(node.logged.filter((line) => !line.startsWith('debug')), []);
      assert.equal((await node.get('/readyz')).status, 200);
    });
  });
}
