/** Finds what was probably meant. */
/** The one of `names` that is nearest to `name`, letter case aside. */
export declare function nearest(name: string, names: readonly string[]): string | undefined;
//# sourceMappingURL=nearest.d.ts.map