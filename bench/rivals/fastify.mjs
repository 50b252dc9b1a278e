// The rival over HTTP: bare Fastify with the routes and answers of a like counter, and nothing behind them.
// Prints where it listens, as one line of JSON.
import Fastify from "fastify";

/** @param {string} resourceId */
const answer = (resourceId) => ({ code: 0, msg: "OK", data: { resourceId, count: 1, exact: true } });

const fastify = Fastify();
fastify.get("/api/counter/count/:resourceId", async (request) => {
  const { resourceId } = /** @type {{ resourceId: string }} */ (request.params);
  return answer(resourceId);
});
fastify.post("/api/counter/like", async (request) => {
  const { resourceId } = /** @type {{ userId: string, resourceId: string }} */ (request.body);
  const { code, msg, data } = answer(resourceId);
  return { code, msg, data: { ...data, outcome: "applied", delta: 1 } };
});
await fastify.listen({ host: "127.0.0.1", port: 0 });
const { port } = /** @type {import("node:net").AddressInfo} */ (fastify.server.address());
console.log(JSON.stringify({ http: `127.0.0.1:${port}` }));
process.once("SIGTERM", () => process.exit());
