// Classes as NestJS users write them: legacy decorators, their metadata, and @Count among them.
import 'reflect-metadata';
import type { Counters, Limits } from 'tallystick';
import { Count, RateLimit, type CountOn } from 'tallystick/decorators';

export type Ending = 'return' | 'throw';

/** As NestJS's SetMetadata: on the method's function. */
export const SetMetadata = (key: string, value: unknown) => (_target: object, _name: string | symbol, descriptor: PropertyDescriptor): void =>
  Reflect.defineMetadata(key, value, descriptor.value as object);

/** As NestJS's route decorators, and as those that set plain properties. */
export const Get = (path: string) => (_target: object, _name: string | symbol, descriptor: PropertyDescriptor): void => {
  Reflect.defineMetadata('path', path, descriptor.value as object);
  Object.assign(descriptor.value as object, { route: path });
};

/** As NestJS's parameter decorators: on the class, by the method's name. */
export const Param = (name: string) => (target: object, method: string | symbol | undefined, index: number): void =>
  Reflect.defineMetadata('params', { ...(Reflect.getMetadata('params', target, method as string) as object | undefined), [index]: name }, target, method as string);

/** As NestJS's applyDecorators, which drops what a decorator returns. */
export const applyDecorators = (...decorators: ((target: object, name: string | symbol, descriptor: PropertyDescriptor) => void)[]) =>
  (target: object, name: string | symbol, descriptor: PropertyDescriptor): void => {
    for (const decorate of decorators) decorate(target, name, descriptor);
  };

/** One controller, @Count above, between and below what guards and routes it. */
export function controller(counters: Counters, key: string) {
  const options = { counters, key };
  class Controller {
    readonly base = 100;
    @Count(options) @SetMetadata('roles', ['admin']) @Get('/above')
    above(@Param('id') id: string, n: number, _more = 1): string { return `${id}${this.base + n}`; }
    @SetMetadata('roles', ['admin']) @Count(options) @Get('/between')
    between(@Param('id') id: string, n: number, _more = 1): string { return `${id}${this.base + n}`; }
    @SetMetadata('roles', ['admin']) @Get('/below') @Count(options)
    below(@Param('id') id: string, n: number, _more = 1): string { return `${id}${this.base + n}`; }
    @applyDecorators(SetMetadata('roles', ['admin']), Count(options), Get('/composed'))
    composed(@Param('id') id: string, n: number, _more = 1): string { return `${id}${this.base + n}`; }
  }
  return Controller;
}

export const secret = Symbol('secret');

const finish = (ending: Ending, value: unknown): unknown => {
  if (ending === 'throw') throw new Error(`thrown with ${String(value)}`);
  return value;
};
const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

type LegacyDecorator = <Method>(target: object, name: string | symbol, descriptor: TypedPropertyDescriptor<Method>) => void;

/** One class, whatever it is decorated with: every kind of method that legacy decorators can stand on. */
export function twin(count: LegacyDecorator) {
  class Base {
    readonly base: number = 100;
    static readonly base: number = 1000;
    @count inherited(ending: Ending, a: number, b = 7): unknown { return finish(ending, this.base + a + b); }
  }
  class Twin extends Base {
    @count sync(ending: Ending, a: number, b = 7): unknown { return finish(ending, this.base + a + b); }
    @count async async(ending: Ending, a: number, b = 7): Promise<unknown> { await later(); return finish(ending, this.base + a + b); }
    @count *generator(ending: Ending, a: number, b = 7): Generator<number, unknown, unknown> { yield a; yield this.base + b; return finish(ending, 'end'); }
    @count async *asyncGenerator(ending: Ending, a: number, b = 7): AsyncGenerator<number, unknown, unknown> { yield a; await later(); yield this.base + b; return finish(ending, 'end'); }
    @count [secret](ending: Ending, a: number, b = 7): unknown { return finish(ending, this.base + a + b); }
    @count static onClass(ending: Ending, a: number, b = 7): unknown { return finish(ending, this.base + a + b); }
    @count static async onClassLater(ending: Ending, a: number, b = 7): Promise<unknown> { await later(); return finish(ending, this.base + a + b); }
  }
  return Twin;
}

/** The twin that counts. */
export const countedTwin = (counters: Counters, key: string, on: CountOn): ReturnType<typeof twin> => twin(Count({ counters, key, on }));

/** Typed keys, and a service whose counters are injected. */
export class Service {
  readonly counters: Counters;
  constructor(counters: Counters) {
    this.counters = counters;
  }
  @Count({ counters: (self: Service) => self.counters, key: (user: { id: string }) => `login:${user.id}` })
  login(_user: { id: string }, _password: string): boolean { return true; }
  // @ts-expect-error the method's first argument is no string
  @Count({ counters: (self: Service) => self.counters, key: (id: string) => id })
  mistyped(_id: number): void {}
  // @ts-expect-error this class has no such member
  @Count({ counters: (self: { readonly elsewhere: Counters }) => self.elsewhere, key: 'k' })
  misplaced(): void {}
}

/** A limited controller, whose limits are injected. */
export class Limited {
  readonly limits: Limits;
  constructor(limits: Limits) {
    this.limits = limits;
  }
  @SetMetadata('roles', ['admin']) @RateLimit({ limits: (self: Limited) => self.limits, subject: (id: string) => `open:${id}`, rules: 'one' }) @Get('/open')
  open(@Param('id') id: string): Promise<string> { return Promise.resolve(id); }
  // @ts-expect-error what is asked before the call makes the call async
  @RateLimit({ limits: (self: Limited) => self.limits, subject: 'x', rules: 'one' })
  sync(): string { return ''; }
}

/** Decorates what is not a method. */
export const MISUSES: Record<string, (count: (...args: unknown[]) => undefined) => unknown> = {
  getter: (count) => { class A { @count get x(): number { return 1; } } return A; },
  setter: (count) => { class A { @count set x(_: number) { /* nothing to set */ } } return A; },
  field: (count) => { class A { @count x = 1; } return A; },
  parameter: (count) => { class A { x(@count _a: number): void { /* only its parameter matters */ } } return A; },
  class: (count) => { @count class A { readonly x = 1; } return A; },
};
