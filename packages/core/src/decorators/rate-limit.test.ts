// As standard (TC39) decorators; test/decorators-legacy holds the same for legacy ones.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createTallystick, memoryStore, TallystickError, type Decision } from '../index.ts';
import { RateLimit, type CallLimits, type DeniedCall } from './index.ts';

const tallystick = createTallystick({ store: memoryStore(), limits: { two: { algorithm: 'fixed-window', limit: 2, windowMs: 60_000 } } });
const { limits } = tallystick;
after(() => tallystick.close());

class Failing implements CallLimits {
  take(): Promise<Decision> {
    return Promise.reject(new TallystickError('STORE_UNAVAILABLE', 'away'));
  }
}

describe('@RateLimit', () => {
  it('M04 asks before the call: a denied one is not made, and rejects with RATE_LIMITED and the decision', async () => {
    const made: string[] = [];
    class Accounts {
      readonly prefix = 'hello ';
      @RateLimit({ limits, subject: 'login:{0}', rules: 'two' })
      async login(name: string, _password = ''): Promise<string> {
        made.push(name);
        await Promise.resolve();
        return this.prefix + name;
      }
    }
    const accounts = new Accounts();
    assert.deepEqual([await accounts.login('ann'), await accounts.login('ann', 'x')], ['hello ann', 'hello ann']);
    await assert.rejects(accounts.login('ann'), (error: TallystickError) => {
      assert.equal(error.code, 'RATE_LIMITED');
      assert.match(error.message, /^login: the limit two of 2 is reached, try again in \d+ ms$/);
      assert.equal((error.cause as Decision).reason, 'limited');
      return true;
    });
    assert.equal(await accounts.login('bob'), 'hello bob');
    assert.deepEqual(made, ['ann', 'ann', 'bob']);
    assert.deepEqual([Object.getOwnPropertyDescriptor(Accounts.prototype, 'login')?.enumerable, accounts.login.name, accounts.login.length], [false, 'login', 1]);
  });

  it('charges a call that throws, and leaves its error as it is', async () => {
    const mine = new Error('mine');
    class Jobs {
      readonly jobs = 1;
      @RateLimit({ limits, subject: (job: { id: number }) => `job:${job.id}`, rules: 'two', cost: (job) => job.id })
      static run(_job: { id: number }): Promise<void> { throw mine; }
    }
    await assert.rejects(Jobs.run({ id: 2 }), mine);
    await assert.rejects(Jobs.run({ id: 2 }), { code: 'RATE_LIMITED' });
    assert.equal((await limits.peek('job:2', 'two')).remaining, 0);
  });

  it('gives what onDenied gives in the place of a denied call', async () => {
    const denied: [Decision, DeniedCall][] = [];
    class Feed {
      @RateLimit({ limits, subject: 'feed:{0}', rules: 'two', cost: 2, onDenied: (decision, call) => (denied.push([decision, call]), ['stale']) })
      read(_id: string): Promise<string[]> { return Promise.resolve(['fresh']); }
    }
    const feed = new Feed();
    assert.deepEqual([await feed.read('a'), await feed.read('a')], [['fresh'], ['stale']]);
    assert.deepEqual(denied.map(([{ allowed }, call]) => [allowed, call]), [[false, { method: 'read', subject: 'feed:a', args: ['a'] }]]);
  });

  it('never takes a fault of the store for a denial: it rejects with it, or makes the call', async () => {
    let given = 0;
    class Away {
      readonly limits = new Failing();
      @RateLimit({ limits: (self: Away) => (given++, self.limits), subject: 's', rules: 'two' })
      strict(): Promise<string> { return Promise.resolve('made'); }
      @RateLimit({ limits: (self: Away) => self.limits, subject: 's', rules: 'two', onError: 'call', onDenied: () => 'denied' })
      lax(): Promise<string> { return Promise.resolve('made'); }
      @RateLimit({ limits, subject: '{0}', rules: 'two' })
      noIdentity(_id?: string): Promise<string> { return Promise.resolve('made'); }
    }
    await assert.rejects(new Away().strict(), { code: 'STORE_UNAVAILABLE' });
    assert.deepEqual([await new Away().lax(), given], ['made', 1]);
    await assert.rejects(new Away().noIdentity(), { code: 'INVALID_KEY', field: 'subject' });
  });

  it('checks its options at once, naming them', () => {
    const good = { limits, subject: 's', rules: 'two' };
    const refuses = (options: object, field: string): void => {
      assert.throws(() => RateLimit({ ...good, ...options }), { code: 'INVALID_CONFIG', field });
    };
    refuses({ limits: {} }, 'limits');
    refuses({ subject: 'a{' }, 'subject');
    refuses({ subject: 7 }, 'subject');
    refuses({ rules: undefined }, 'rules');
    refuses({ cost: 0 }, 'cost');
    refuses({ onDenied: 'drop' }, 'onDenied');
    refuses({ onError: 'deny' }, 'onError');
    refuses({ window: 1 }, 'window');
  });
});
