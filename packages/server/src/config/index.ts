/** Configuration of a node: one table of settings, read from flags, environment and a file. */
export { formatAddress, isLoopback, type Address } from './address.ts';
export { loadConfig } from './load.ts';
export { formatRedisTarget, type RedisTarget } from './redis-target.ts';
export { reference, referenceTable } from './reference.ts';
export { type Config, type LogLevel } from './settings.ts';
export { formatMysqlTarget, type MysqlTarget } from './mysql-target.ts';
