/** The OpenAPI 3.1 document of the node, built once from the table of operations. */
import { errorTable, type ErrorCode } from 'tallystick';
import { operations, type Operation } from './operations.ts';
import { ref, schemas, type Schema } from './schemas.ts';

const JSON_TYPE = 'application/json';
const PROBLEM_TYPE = 'application/problem+json';
const VERSION = '1';
/** What any route may answer. */
const COMMON: readonly ErrorCode[] = ['UNKNOWN_FIELD', 'INTERNAL'];

let built: Schema | undefined;

/** The document. */
export function openApiDocument(): Schema {
  return (built ??= {
    openapi: '3.1.0',
    info: { title: 'Tallystick', version: VERSION, description: `Counters and frequency control.\n\n${codeTable()}` },
    paths: paths(),
    components: { schemas },
  });
}

function codeTable(): string {
  const rows = Object.entries(errorTable).map(([name, { number, http, meaning }]) => `| ${number} | ${name} | ${http} | ${meaning} |`);
  return ['| code | name | HTTP | meaning |', '|---|---|---|---|', ...rows].join('\n');
}

function paths(): Record<string, Record<string, Schema>> {
  const byPath: Record<string, Record<string, Schema>> = {};
  for (const [route, operation] of Object.entries(operations)) {
    const [method = '', path = ''] = route.split(' ');
    (byPath[path] ??= {})[method.toLowerCase()] = described(path, operation);
  }
  return byPath;
}

function described(path: string, { summary, tag, body, bodyOptional = false, query = {}, ...answers }: Operation): Schema {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string', minLength: 1 } }));
  const inQuery = Object.entries(query).map(([name, schema]) => ({ name, in: 'query', schema }));
  return {
    summary,
    tags: [tag],
    parameters: [...inPath, ...inQuery],
    ...(body !== undefined && { requestBody: { required: !bodyOptional, content: { [JSON_TYPE]: { schema: body } } } }),
    responses: responses(answers),
  };
}

function responses({ answer, accepts = false, otherwise = {}, errors }: Pick<Operation, 'answer' | 'accepts' | 'otherwise' | 'errors'>): Record<string, Schema> {
  const content = answer === undefined ? { 'text/plain': { schema: { type: 'string' } } } : { [JSON_TYPE]: { schema: answer } };
  const byStatus: Record<string, Schema> = { 200: { description: 'Done.', content } };
  if (accepts) byStatus['202'] = { description: 'Accepted: will be counted exactly once; the value is an estimate.', content };
  for (const [status, schema] of Object.entries(otherwise)) {
    byStatus[status] = { description: 'Nothing there, or not now.', content: { [status === '429' ? PROBLEM_TYPE : JSON_TYPE]: { schema } } };
  }
  for (const [status, codes] of codesByStatus([...errors, ...COMMON])) {
    const description = codes.map((code) => `${errorTable[code].number} ${code}`).join(', ');
    byStatus[status] = { description, content: { [JSON_TYPE]: { schema: ref('Error') } } };
  }
  return byStatus;
}

function codesByStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { http } = errorTable[code];
    byStatus.set(http, [...(byStatus.get(http) ?? []), code]);
  }
  return byStatus;
}
