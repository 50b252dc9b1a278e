/** `/v1/limits`: whether a subject may, under rules given in full or by name. */
import { errorTable, TallystickError, type ChangeResult, type Decision, type Refusal } from 'tallystick';
import type { App } from '../../app/index.ts';
import { decisionAnswer, denialAnswer } from '../decision.ts';
import { json, statusOfOutcome, type HttpAnswer, type Route } from '../route.ts';

/** What a check may ask of HTTP alone. */
interface CheckBody {
  readonly items?: unknown;
  readonly denialStatus?: unknown;
}

const isObject = (body: unknown): body is CheckBody => typeof body === 'object' && body !== null && !Array.isArray(body);

/** A refused item carries the number of its code, as every answer does. */
function wireResult(result: Decision | Refusal): object {
  return 'outcome' in result ? { ...result, code: errorTable[result.code].number } : result;
}

function isDenialStatus(status: unknown): boolean {
  if (status === undefined || status === 200 || status === 429) return status === 429;
  throw new TallystickError('INVALID_ARGUMENT', `denialStatus: expected 200 or 429, got ${JSON.stringify(status)}`, { field: 'denialStatus' });
}

async function check(app: App, body: unknown): Promise<HttpAnswer> {
  if (!isObject(body) || body.items !== undefined) {
    const { results } = await app.checkLimitsOfMany(body);
    return json({ results: results.map(wireResult) });
  }
  const { denialStatus, ...request } = body;
  const answerOf = isDenialStatus(denialStatus) ? denialAnswer : decisionAnswer;
  const decision = await app.checkLimits(request);
  return (decision.allowed ? decisionAnswer : answerOf)(decision, app.rulesOf(request));
}

async function peek(app: App, body: unknown): Promise<HttpAnswer> {
  return decisionAnswer(await app.peekLimits(body), app.rulesOf(body));
}

const change = (action: string, make: (app: App, body: unknown) => Promise<ChangeResult>): Route => ({
  method: 'POST',
  url: `/v1/limits/${action}`,
  answer: async (app, { body }) => {
    const result = await make(app, body);
    return json(result, statusOfOutcome(result.outcome));
  },
});

/** Routes over the use cases of limits. */
export const limitRoutes: readonly Route[] = [
  { method: 'POST', url: '/v1/limits/check', answer: (app, { body }) => check(app, body) },
  { method: 'POST', url: '/v1/limits/peek', role: 'read', answer: (app, { body }) => peek(app, body) },
  change('refund', (app, body) => app.refundLimits(body)),
  change('release', (app, body) => app.releaseLimits(body)),
  change('penalize', (app, body) => app.penalizeLimits(body)),
  change('reset', (app, body) => app.resetLimits(body)),
  change('block', (app, body) => app.blockSubject(body)),
  change('unblock', (app, body) => app.unblockSubject(body)),
];
