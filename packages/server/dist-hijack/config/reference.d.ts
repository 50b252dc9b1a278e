/** One setting, described. */
export interface SettingReference {
    readonly name: string;
    readonly flag: string;
    readonly variable: string;
    readonly expected: string;
    readonly placeholder: string;
    /** Empty when there is none. */
    readonly default: string;
    readonly meaning: string;
}
/** Every setting, in the order of the table. */
export declare const reference: readonly SettingReference[];
/** The table of the documentation, in Markdown. */
export declare function referenceTable(): string;
//# sourceMappingURL=reference.d.ts.map