/** `npm run prove -- kills [KILLS] [SEED]`: the long form of test/e2e/kills.test.ts. */
import { killsUnderLoad } from '../e2e/kills.ts';

const kills = Number(process.argv[2] ?? 60);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
const total = { acknowledged: 0, inDoubt: 0, applied: 0 };
console.log(`seed ${seed}`);
await killsUnderLoad({
  kills,
  seed,
  onKill: ({ kill, acknowledged, inDoubt, applied }) => {
    total.acknowledged += acknowledged;
    total.inDoubt += inDoubt;
    total.applied += applied;
    console.log(`kill ${kill}: acknowledged ${acknowledged}, in doubt ${inDoubt}, of which applied ${applied}: balanced`);
  },
});
console.log(`${kills} kills, ${total.acknowledged} acknowledged, ${total.inDoubt} in doubt (${total.applied} applied): difference 0`);
