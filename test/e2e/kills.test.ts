import { describe, it } from 'node:test';
import { killsUnderLoad } from './kills.ts';

describe('a server killed with SIGKILL under load', () => {
  it('has every acknowledged add, and counts nothing twice when adds in doubt are asked again', async (t) => {
    const seed = Date.now() % 1_000_000;
    t.diagnostic(`seed ${seed}`);
    const accounts: string[] = [];
    await killsUnderLoad({ kills: 4, seed, onKill: (account) => accounts.push(JSON.stringify(account)) });
    t.diagnostic(accounts.join('\n'));
  });
});
