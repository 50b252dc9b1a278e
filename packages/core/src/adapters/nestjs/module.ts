/** The module that makes the guard. */
import type { DynamicModule, FactoryProvider, ModuleMetadata, Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, HttpAdapterHost, Reflector } from '@nestjs/core';
import type { RequestLimitOptions } from '../gate.ts';
import { RateLimitGuard } from './guard.ts';
import type { HttpRequest } from './http-request.ts';
import { ProblemFilter } from './problem.ts';

/** Options of the module: those of the guard, and where it is used. */
export interface RateLimitOptions extends RequestLimitOptions<HttpRequest> {
  /** Whether the guard is used for every route. Default true; else use `@UseGuards(RateLimitGuard)`. */
  readonly everywhere?: boolean;
}

/** Options that are made by a factory, from other providers. */
export interface RateLimitAsyncOptions extends Pick<ModuleMetadata, 'imports'> {
  readonly inject?: FactoryProvider['inject'];
  readonly useFactory: (...args: never[]) => RequestLimitOptions<HttpRequest> | Promise<RequestLimitOptions<HttpRequest>>;
  /** As in {@link RateLimitOptions}. */
  readonly everywhere?: boolean;
}

/** Under which the options are provided. */
const OPTIONS = Symbol('tallystick:rate-limit-options');

const guard: FactoryProvider = {
  provide: RateLimitGuard,
  inject: [OPTIONS, Reflector],
  useFactory: (options: RequestLimitOptions<HttpRequest>, reflector: Reflector) => new RateLimitGuard(options, reflector),
};

const filter: FactoryProvider = { provide: APP_FILTER, inject: [HttpAdapterHost], useFactory: (host: HttpAdapterHost) => new ProblemFilter(host) };

function moduleOf(options: Provider, everywhere: boolean, imports: ModuleMetadata['imports']): DynamicModule {
  const providers = [options, guard, filter, ...(everywhere ? [{ provide: APP_GUARD, useExisting: RateLimitGuard }] : [])];
  return { module: RateLimitModule, global: true, providers, exports: [RateLimitGuard], ...(imports !== undefined && { imports }) };
}

/**
 * Limits the requests of an application, configured in one place.
 *
 * @example
 * @Module({ imports: [RateLimitModule.forRoot({ limits: tallystick.limits, rules: 'api' })] })
 * class AppModule {}
 */
// eslint-disable-next-line @typescript-eslint/no-extraneous-class -- Nest knows a module by its class
export class RateLimitModule {
  /** With options as they are. */
  static forRoot({ everywhere = true, ...options }: RateLimitOptions): DynamicModule {
    return moduleOf({ provide: OPTIONS, useValue: options }, everywhere, undefined);
  }

  /** With options that a factory makes. */
  static forRootAsync({ everywhere = true, imports, inject = [], useFactory }: RateLimitAsyncOptions): DynamicModule {
    return moduleOf({ provide: OPTIONS, inject, useFactory } as FactoryProvider, everywhere, imports);
  }
}
