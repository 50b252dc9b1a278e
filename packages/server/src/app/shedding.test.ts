import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Metadata, type ServiceError } from '@grpc/grpc-js';
import { countersService } from '@tallystick/client/wire';
import { startGrpcNode } from '../../../../test/support/grpc-node.ts';
import { startNode } from '../../../../test/support/http-node.ts';
import { eventLoopLoad, sheddingProbability } from './shedding.ts';

describe('load shedding', () => {
  it('refuses none below 70 % of load, and then ever more', () => {
    const steps = [[0, 0], [0.69, 0], [0.7, 0.1], [0.79, 0.1], [0.8, 0.3], [0.89, 0.3], [0.9, 0.5], [1, 0.5]] as const;
    for (const [load, refused] of steps) assert.equal(sheddingProbability(load), refused, `${load}`);
  });

  it('measures how busy the process is', async () => {
    const load = eventLoopLoad();
    for (const end = performance.now() + 400; performance.now() < end; );
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(load() > 0.7, `${load()}`);
  });

  it('refuses calls over HTTP before they do anything, VIPs and operators never, and tells how many', async () => {
    let load = 1;
    await using node = await startNode({ shedding: { load: () => load, vipToken: 'gold' } });
    const add = (headers: Record<string, string> = {}): Promise<number> =>
      node.call('/v1/counters/k', { method: 'POST', headers }).then(({ status }) => status);
    const many = await Promise.all(Array.from({ length: 100 }, () => add()));
    const shed = many.filter((status) => status === 503).length;
    assert.ok(shed > 10 && shed < 90, `${shed}`);
    for (let i = 0; i < 30; i++) assert.equal(await add({ 'x-tallystick-vip': 'gold' }), 200);
    for (let i = 0; i < 30; i++) assert.equal((await node.get('/healthz')).status, 200);
    load = 0.5;
    assert.equal((await node.get('/v1/counters/k')).body?.['value'], 100 - shed + 30);
    assert.match((await node.get('/metrics')).text, new RegExp(`tallystick_shed_total ${shed}\\b`));
  });

  it('refuses calls over gRPC as OVERLOADED, VIPs never', async () => {
    await using node = await startGrpcNode({ shedding: { load: () => 1, vipToken: 'gold' } });
    const answers = await Promise.allSettled(Array.from({ length: 100 }, () => node.call(countersService.Add, { key: 'k' })));
    const refused = answers.filter((answer) => answer.status === 'rejected');
    assert.ok(refused.length > 10 && refused.length < 90, `${refused.length}`);
    assert.equal((refused[0]?.reason as ServiceError).metadata.get('tallystick-reason')[0], 'OVERLOADED');
    const metadata = new Metadata();
    metadata.set('x-tallystick-vip', 'gold');
    const vip = (): Promise<unknown> => new Promise((resolve, reject) => {
      const { path, requestSerialize, responseDeserialize } = countersService.Add;
      node.channel.makeUnaryRequest(path, requestSerialize, responseDeserialize, { key: 'k' }, metadata, (error, reply) => {
        if (error === null) resolve(reply);
        else reject(error);
      });
    });
    for (let i = 0; i < 30; i++) await vip();
  });
});
