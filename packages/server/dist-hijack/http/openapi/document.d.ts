import { type Schema } from './schemas.ts';
/** The document. */
export declare function openApiDocument(): Schema;
//# sourceMappingURL=document.d.ts.map