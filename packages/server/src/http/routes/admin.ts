/** `/v1/admin`: the rules that hold, and where a subject stands with them. */
import { TallystickError } from 'tallystick';
import type { App, Entry, RulesEngine } from '../../app/index.ts';
import { json, type HttpAnswer, type HttpRequest, type Route } from '../route.ts';

function rulesOf({ rules }: App): RulesEngine {
  if (rules !== undefined) return rules;
  throw new TallystickError('UNSUPPORTED', 'rules: this node was given no rules file', { field: 'rules' });
}

const invalid = (field: string, message: string): TallystickError => new TallystickError('INVALID_ARGUMENT', `${field}: ${message}`, { field });

/** A subject is written as a descriptor: `user=alice`, entries joined by `&`. */
function entriesOf(subject: string): Entry[] {
  if (!subject.includes('=')) throw invalid('subject', 'expected entries as key=value, joined by &');
  return [...new URLSearchParams(subject)].map(([key, value]) => ({ key, value }));
}

function domainOf({ query }: HttpRequest): string {
  const stranger = Object.keys(query).find((field) => field !== 'domain');
  if (stranger !== undefined) throw new TallystickError('UNKNOWN_FIELD', `${stranger}: expected domain alone`, { field: stranger });
  const { domain } = query;
  if (typeof domain !== 'string' || domain === '') throw invalid('domain', 'expected the name of a domain');
  return domain;
}

async function standing(app: App, request: HttpRequest): Promise<HttpAnswer> {
  const [domain, entries] = [domainOf(request), entriesOf(request.params['subject'] as string)];
  const found = await rulesOf(app).peek(domain, { entries });
  if (found === undefined) throw new TallystickError('KEY_NOT_FOUND', 'subject: no rule of this domain is for it', { field: 'subject' });
  return json({ domain, ...found });
}

/** Routes for whoever runs the node. */
export const adminRoutes: readonly Route[] = [
  { method: 'GET', url: '/v1/admin/rules', role: 'admin', answer: async (app) => json(rulesOf(app).status) },
  { method: 'GET', url: '/v1/admin/limits/:subject', role: 'admin', hasQuery: true, answer: standing },
];
