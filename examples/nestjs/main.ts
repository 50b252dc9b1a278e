/* eslint-disable @typescript-eslint/no-extraneous-class -- Nest knows a module by its class */
// A Nest application whose requests are limited:
// `npx tsx --tsconfig examples/nestjs/tsconfig.json --conditions=tallystick-source examples/nestjs/main.ts`
import 'reflect-metadata';
import { Controller, Get, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createTallystick, memoryStore, type Tallystick } from 'tallystick';
import { RateLimit, RateLimitModule, SkipRateLimit, type HttpRequest } from 'tallystick/nestjs';

const TALLYSTICK = Symbol('tallystick');
const userOf = ({ params }: HttpRequest): string => `login:${(params as { user: string }).user}`;

@Controller()
class Api {
  @Get('api/articles')
  articles(): string[] {
    return ['one', 'two'];
  }

  @RateLimit('login', { subject: userOf })
  @Post('login/:user')
  login(): string {
    return 'welcome';
  }

  @SkipRateLimit()
  @Get('health')
  health(): string {
    return 'fine';
  }
}

@Module({
  providers: [
    {
      provide: TALLYSTICK,
      useFactory: (): Tallystick =>
        createTallystick({
          store: memoryStore(),
          limits: {
            api: { algorithm: 'sliding-window', limit: 5, windowMs: 60_000, onOutage: 'local' },
            login: { algorithm: 'token-bucket', limit: 2, windowMs: 60_000, onOutage: 'closed' },
          },
        }),
    },
  ],
  exports: [TALLYSTICK],
})
class Counting {}

@Module({
  imports: [
    RateLimitModule.forRootAsync({
      imports: [Counting],
      inject: [TALLYSTICK],
      useFactory: ({ limits }: Tallystick) => ({ limits, rules: 'api' }),
    }),
  ],
  controllers: [Api],
})
class App {}

const app = await NestFactory.create<NestExpressApplication>(App);
app.set('trust proxy', 'loopback'); // whose X-Forwarded-For is believed
await app.listen(0, '127.0.0.1');
console.log(`listening at ${await app.getUrl()}`);
