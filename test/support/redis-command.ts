/** As the drill of the server has it. */
export * from '../../packages/server/src/cli/drill/servers/redis-command.ts';
