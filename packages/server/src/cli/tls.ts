/** The certificate of a node and the key to it. */
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { TallystickError } from 'tallystick';
import type { Tls } from '../app/index.ts';
import type { Config } from '../config/index.ts';

type TlsSetting = 'tlsCert' | 'tlsKey' | 'tlsClientCa';

/**
 * What `tlsCert`, `tlsKey` and `tlsClientCa` name; undefined when they name nothing.
 *
 * @throws TallystickError `INVALID_CONFIG`, naming the setting; never what is in a file.
 */
export async function readTls(config: Config): Promise<Tls | undefined> {
  if (config.tlsCert === undefined) return undefined;
  const [cert, key, clientCa] = await Promise.all((['tlsCert', 'tlsKey', 'tlsClientCa'] as const).map((setting) => read(config, setting)));
  if (cert === undefined || key === undefined) return undefined;
  try {
    createSecureContext({ cert, key, ...(clientCa !== undefined && { ca: clientCa }) });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw invalid('tlsCert', `expected a certificate in PEM, with tlsKey its own key, got files that do not work together (${code ?? 'not PEM'})`);
  }
  return { cert, key, ...(clientCa !== undefined && { clientCa }) };
}

async function read(config: Config, setting: TlsSetting): Promise<Buffer | undefined> {
  const file = config[setting];
  if (file === undefined) return undefined;
  try {
    return await readFile(file);
  } catch (error) {
    throw invalid(setting, `${file} can't be read: ${(error as Error).message}`);
  }
}

const invalid = (field: TlsSetting, message: string): TallystickError => new TallystickError('INVALID_CONFIG', `${field}: ${message}`, { field });
