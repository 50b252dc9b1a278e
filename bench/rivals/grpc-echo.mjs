// The rival over gRPC: grpc-js answering the same messages with the same codec, and nothing behind them. Its
// books (channelz) are off, as in ours: that is its fastest setting. Prints where it listens, as JSON.
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { frequencyService } from "@tallystick/client/wire";

const { AddFreq, BatchAddFreq } = frequencyService;

/** @param {import("@tallystick/client/wire").AddFreqReq} request */
const replyTo = ({ business_id, key }) => ({ code: 0, msg: "OK", business_id, key, freq: 1, ttl: 60, accepted: false });

const server = new Server({ "grpc.enable_channelz": 0 });
server.addService(
  {
    AddFreq: { ...AddFreq, requestDeserialize: AddFreq.parseRequest },
    BatchAddFreq: { ...BatchAddFreq, requestDeserialize: BatchAddFreq.parseRequest },
  },
  {
    /** @type {import("@grpc/grpc-js").handleUnaryCall<import("@tallystick/client/wire").AddFreqReq, unknown>} */
    AddFreq: (call, reply) => reply(null, replyTo(call.request)),
    /** @type {import("@grpc/grpc-js").handleUnaryCall<import("@tallystick/client/wire").BatchAddFreqReq, unknown>} */
    BatchAddFreq: (call, reply) => reply(null, { code: 0, msg: "OK", results: call.request.requests.map(replyTo) }),
  },
);
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  console.log(JSON.stringify({ grpc: `127.0.0.1:${port}` }));
});
process.once("SIGTERM", () => process.exit());
