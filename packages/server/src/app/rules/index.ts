/** Limits by a rules file: read, checked, watched, and asked by descriptors. */
export { RulesEngine, type DescriptorStatus, type RulesDecision } from './engine.ts';
export { LiveRules, readRules } from './live-rules.ts';
export type { Descriptor } from './match.ts';
export { inWords } from './problems.ts';
export type { Entry } from './tree.ts';
