/** Makes a certificate for 127.0.0.1, signed by itself, with openssl. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Files of a certificate and its key. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** The certificate's text, for clients to trust. */
  readonly ca: string;
  readonly remove: () => void;
}

export function makeCertificate(): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-certificate-'));
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const { status } = spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  if (status !== 0) throw new Error('openssl is needed to make a certificate');
  return { cert, key, ca: readFileSync(cert, 'utf8'), remove: () => { rmSync(folder, { recursive: true, force: true }); } };
}
