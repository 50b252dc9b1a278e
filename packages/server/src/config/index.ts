/** Configuration of a node: one table of settings, read from flags, environment and a file. */
export { formatAddress, isLoopback, parseAddress, type Address } from './address.ts';
export { loadConfig, type Surroundings } from './load.ts';
export { reference, referenceTable, type SettingReference } from './reference.ts';
export { type Config, type LogLevel } from './settings.ts';
