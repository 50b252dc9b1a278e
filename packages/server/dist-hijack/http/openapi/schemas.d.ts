/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;
/** A schema defined below. */
export declare const ref: (name: string) => Schema;
/** A list of something. */
export declare const listOf: (items: Schema) => Schema;
/** An object with these fields and no others; those in `required` must be there. */
export declare const object: (properties: Readonly<Record<string, Schema>>, required?: readonly string[]) => Schema;
/** Which counter of a key is meant. */
export declare const counterFields: Readonly<Record<string, Schema>>;
/** Every named schema of the document. */
export declare const schemas: Readonly<Record<string, Schema>>;
//# sourceMappingURL=schemas.d.ts.map