/** What a route is: a method, a path and how the use case's reply is written. */
import type { FastifyRequest } from 'fastify';
import type { App, Role } from '../app/index.ts';

/** An answer, ready to be sent. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
  /** Default JSON. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request as a route sees it. */
export type HttpRequest = FastifyRequest<{ Params: Record<string, string>; Querystring: Record<string, unknown> }>;

/** One method of one path. */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** As Fastify writes it: `/v1/counters/:key`. */
  readonly url: string;
  /** Whether the path has query fields; else any is refused as unknown. */
  readonly hasQuery?: boolean;
  /** Whose API key it takes, where keys are set. Default: `read` for GET, `write` for POST. */
  readonly role?: Role | 'anybody';
  readonly answer: (app: App, request: HttpRequest) => Promise<HttpAnswer>;
}

/** What was accepted but not applied yet is a 202. */
export const statusOfOutcome = (outcome: string | undefined): number => (outcome === 'accepted' ? 202 : 200);

/** `{code: 0, msg: "OK", data}`. */
export const okEnvelope = (data: unknown, status = 200): HttpAnswer => ({
  status,
  body: `{"code":0,"msg":"OK","data":${JSON.stringify(data)}}`,
});

/** `value` as JSON. */
export const json = (value: unknown, status = 200): HttpAnswer => ({ status, body: JSON.stringify(value) });
