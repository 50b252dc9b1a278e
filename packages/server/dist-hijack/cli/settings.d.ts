import { type Terminal } from './terminal.ts';
/** Prints every setting. */
export declare function settings(options: Readonly<Record<string, string>>, { out }: Terminal): Promise<number>;
//# sourceMappingURL=settings.d.ts.map