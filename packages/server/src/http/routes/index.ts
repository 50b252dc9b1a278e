/** Every route of the node. */
import type { Route } from '../route.ts';
import { adminRoutes } from './admin.ts';
import { counterRoutes } from './counters.ts';
import { frequencyRoutes } from './frequency.ts';
import { likeRoutes } from './like.ts';
import { limitRoutes } from './limits.ts';
import { operationsRoutes } from './operations.ts';

/** Every route of the node. */
export const routes: readonly Route[] = [...likeRoutes, ...counterRoutes, ...frequencyRoutes, ...limitRoutes, ...adminRoutes, ...operationsRoutes];
