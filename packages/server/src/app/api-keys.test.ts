import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiKeys, digestOf, ROLES } from './api-keys.ts';

const keys = new ApiKeys(ROLES.map((role) => ({ name: role, role, sha256: digestOf(`secret-of-the-${role}`) })));
const codeOf = (authorization: string | undefined, role: (typeof ROLES)[number]): string => {
  try {
    keys.check(authorization, role);
    return 'passed';
  } catch (error) {
    assert.doesNotMatch((error as Error).message, /secret/);
    return (error as { code: string }).code;
  }
};

describe('ApiKeys', () => {
  it('lets a role do what it and those before it may, and no more', () => {
    for (const [has, mine] of ROLES.entries()) {
      for (const [needs, role] of ROLES.entries()) {
        assert.equal(codeOf(`Bearer secret-of-the-${mine}`, role), has >= needs ? 'passed' : 'PERMISSION_DENIED');
      }
    }
  });

  it('knows nobody by another scheme, an empty key, a beginning of one, or what is far too long', () => {
    const strangers = [undefined, '', 'Bearer', 'Bearer ', 'Basic secret-of-the-admin', 'secret-of-the-admin', 'Bearer secret-of-the-admi', `Bearer ${'x'.repeat(9999)}`];
    for (const stranger of strangers) assert.equal(codeOf(stranger, 'read'), 'UNAUTHENTICATED');
    assert.equal(codeOf('bearer  secret-of-the-read', 'read'), 'passed');
  });
});
