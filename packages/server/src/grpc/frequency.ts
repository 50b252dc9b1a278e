/** `tallystick.v1.FrequencyControl`: the messages are those of the use cases. */
import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import { frequencyService as service, type BatchFreqRsp, type FreqRsp } from '@tallystick/client/wire';
import type { App, FreqBatchReply, FreqReply } from '../app/index.ts';
import { unary, type Surroundings } from './unary.ts';

function replyOf({ code, msg, business_id, key, freq, ttl, outcome, age_ms, stale }: FreqReply): FreqRsp {
  return { code, msg, business_id, key, freq, ttl, accepted: outcome === 'accepted', age_ms, stale };
}

const batchOf = ({ code, msg, results }: FreqBatchReply): BatchFreqRsp => ({ code, msg, results: results.map(replyOf) });

/** The methods over the use cases. */
export function frequencyHandlers(app: App, around: Surroundings): UntypedServiceImplementation {
  return {
    AddFreq: unary(service.AddFreq, around, async (request, call) => replyOf(await app.addFreq(request, call))),
    BatchAddFreq: unary(service.BatchAddFreq, around, async (request, call) => batchOf(await app.batchAddFreq(request, call))),
    GetFreq: unary(service.GetFreq, around, async (request, call) => replyOf(await app.getFreq(request, call))),
    BatchGetFreq: unary(service.BatchGetFreq, around, async (request, call) => batchOf(await app.batchGetFreq(request, call))),
  };
}
