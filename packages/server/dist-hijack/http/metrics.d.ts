import { type App } from '../app/index.ts';
/** The page and its content type. */
export interface MetricsPage {
    readonly contentType: string;
    readonly text: string;
}
/** The metrics of `app`, and of the process it runs in. */
export declare function metricsOf(app: App): Promise<MetricsPage>;
//# sourceMappingURL=metrics.d.ts.map