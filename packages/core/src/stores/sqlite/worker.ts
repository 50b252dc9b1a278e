/** The thread that does all SQL, so that a sync to disk never stalls the event loop of the application. */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { WorkerSettings } from './protocol.ts';
import { serve } from './serving.ts';

void serve(parentPort as MessagePort, workerData as WorkerSettings);
