import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { World } from './world.ts';

describe('World', () => {
  it('lets things happen in the order of their time, and of their planning', async () => {
    const world = new World(1);
    const told: string[] = [];
    for (const [name, delayMs] of [['c', 5], ['a', 1], ['d', 5], ['b', 2], ['e', 5]] as const) {
      world.after(delayMs, () => told.push(`${name}${world.nowMs}`));
    }
    assert.equal(await world.run(() => false), false);
    assert.deepEqual(told, ['a1', 'b2', 'c5', 'd5', 'e5']);
    assert.ok(world.isAtRest);
  });

  it('follows every promise to its end before the next event', async () => {
    const world = new World(1);
    const told: number[] = [];
    world.after(1, () => {
      void (async () => {
        for (let i = 0; i < 100; i++) await Promise.resolve();
        told.push(world.nowMs);
      })();
    });
    world.after(2, () => told.push(world.nowMs));
    await world.run(() => false);
    assert.deepEqual(told, [1, 2]);
  });

  it('does nothing that was called off, and nothing for the dead', async () => {
    const world = new World(1);
    const life = { name: 'a', alive: true };
    const environment = world.environmentOf(life);
    const told: string[] = [];
    world.after(1, () => told.push('called off'))();
    environment.after(2, () => told.push('alive'));
    world.after(3, () => { life.alive = false; });
    environment.after(4, () => told.push('dead'));
    await world.run(() => false);
    environment.soon(() => told.push('dead'));
    environment.later(() => told.push('dead'));
    await world.run(() => false);
    assert.deepEqual(told, ['alive']);
  });

  it('stops when it is done', async () => {
    const world = new World(1);
    world.after(1, () => undefined);
    world.after(2, () => undefined);
    assert.equal(await world.run(() => world.nowMs === 1), true);
    assert.equal(world.isAtRest, false);
  });

  it('does not go round in circles for ever', async () => {
    const world = new World(1);
    const again = (): void => void world.after(1, again);
    again();
    await assert.rejects(world.run(() => false), /never at rest/);
  });
});
