/** The commands, their arguments and their help. */
import { readFileSync } from 'node:fs';
import { Command, CommanderError, Option, type Help } from 'commander';
import { COUNTER_TYPES } from 'tallystick';
import { reference } from '../config/index.ts';
import { EXIT, failed, type Terminal } from './terminal.ts';

/** What a command does: returns its exit code. */
type Action = (options: Readonly<Record<string, string>>, terminal: Terminal, args: readonly string[]) => Promise<number>;

const EXIT_HELP = `
Exit codes: ${EXIT.ok} done, ${EXIT.refused} refused, ${EXIT.usage} wrong usage or settings, ${EXIT.unreachable} no node answers.`;

const SERVE_HELP = `
Each option can also be set in the environment (--max-body-bytes as
TALLYSTICK_MAX_BODY_BYTES) or in a file named by --config or TALLYSTICK_CONFIG
(YAML or JSON, maxBodyBytes: …). A flag wins over the environment, that over
the file.

SIGTERM drains: no more calls are taken, those that run are answered,
everything is flushed. A second one stops at once.

Examples:
  tallystick serve
  tallystick serve --http 127.0.0.1:8080 --data /var/lib/tallystick
  curl -X POST http://127.0.0.1:7070/api/counter/like \\
       -H 'content-type: application/json' \\
       -d '{"userId":"u1","resourceId":"article-42"}'
${EXIT_HELP}`;

const GET_HELP = `
Prints the value of one key; of several, a line of value and key each. A
counter that is not there reads 0.

Examples:
  tallystick get article:read:42
  tallystick get --type unique --window-ms 300000 online
${EXIT_HELP}`;

const ADD_HELP = `
Prints the counter's value right after.

Examples:
  tallystick add article:read:42
  tallystick add stock:7 -3 --min 0
  tallystick add order:9 5 --request-id 3f1c     # can be repeated: counts once
${EXIT_HELP}`;

const RULES_HELP = `
Nothing is started or changed. A node that runs checks a changed file by itself
and keeps the rules it has when that is bad.

Examples:
  tallystick rules check rules.yaml
  tallystick rules check --json rules.yaml
${EXIT_HELP}`;

const RECOVER_HELP = `
Sends again what the journals of nodes hold and Redis does not have. Each batch
counts once, however often this is run, and while nodes are running. What is
lost, or cannot be told from what was counted, is said and never guessed.

Examples:
  tallystick recover --redis redis://127.0.0.1:6379 --dry-run
  tallystick recover --redis redis://127.0.0.1:6379 --journal /backup/journal
  tallystick recover --from 2026-12-01T03:00:00Z --to 2026-12-01T04:00:00Z
Exit codes: ${EXIT.ok} all is there, ${EXIT.refused} not all could be sent, ${EXIT.usage} wrong usage or settings.`;

const SYNC_HELP = `
Carries what Redis has counted to the ledger, through Kafka where it is named.
Nodes started with --mysql do this by themselves; workers of this command share
it with them and with each other, and take over from one that ends or hangs.
SIGTERM ends it when what is on its way is done.

Examples:
  tallystick sync --redis redis://127.0.0.1:6379 --mysql mysql://me@127.0.0.1/tally
  tallystick sync --sink --kafka 127.0.0.1:9092        # with the URLs in the environment
${EXIT_HELP}`;

const DRILL_HELP = `
Starts Redis, MariaDB and, where its jars are, Kafka of its own on free ports
with private data, counts by several processes, lets faults strike, and prints
the account of each class of keys: attempted, acknowledged, in doubt, found in
Redis and in the ledger, and the difference that nothing explains. Servers that
run already are not touched.

Examples:
  tallystick drill --scenario list
  tallystick drill --scenario killed-worker,lost-commits
  tallystick drill --minutes 10 --json
Exit codes: ${EXIT.ok} every account balances, ${EXIT.refused} one does not, ${EXIT.usage} wrong usage, or a server is not installed.`;

const CHECK_HELP = `
Compares totals in Redis with those in the ledger, while both go on: what is on
its way between them is no difference. --repair names the side that is put right,
by what it lacks; docs/pipeline.md says when to choose which.

Examples:
  tallystick check --redis redis://127.0.0.1:6379 --mysql mysql://me@127.0.0.1/tally
  tallystick check --full --json                       # with the URLs in the environment
  tallystick check --full --repair ledger
Exit codes: ${EXIT.ok} nothing differs, ${EXIT.refused} something does, or cannot be told, ${EXIT.usage} wrong usage or settings.`;

const DEAD_LETTERS_HELP = `
Records that the ledger could not apply, with the reason: gap (one before it has
not come), unreadable, impossible, forgotten (it may have been applied).

Examples:
  tallystick sync dead-letters list --mysql mysql://me@127.0.0.1/tally
  tallystick sync dead-letters replay --reason impossible
  tallystick sync dead-letters replay --reason gap --give-up
  tallystick sync dead-letters drop --id 7,8
Exit codes: ${EXIT.ok} done, ${EXIT.refused} some stay parked, ${EXIT.usage} wrong usage or settings.`;

/** Runs the command in `args`; resolves with its exit code. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  let exit: number = EXIT.ok;
  const program = base(terminal);
  const on = (command: Command, action: Action): void => {
    command.action(async () => {
      exit = await action(command.opts(), terminal, command.args);
    });
  };
  on(serveCommand(program), async (options, io) => (await import('./serve.ts')).serve(options, io));
  on(getCommand(program), async (options, io, keys) => (await import('./get.ts')).get(options, io, keys));
  on(addCommand(program), async (options, io, words) => (await import('./add.ts')).add(options, io, words));
  const sync = syncCommand(program);
  on(sync, async (options, io) => (await import('./sync.ts')).sync(options, io));
  const letters = sync.command('dead-letters').description('records that the ledger could not apply');
  on(listCommand(letters), async (options, io) => (await import('./dead-letters.ts')).listDeadLetters(options, io));
  on(replayCommand(letters), async (options, io) => (await import('./dead-letters.ts')).replayDeadLetters(options, io));
  on(dropCommand(letters), async (options, io) => (await import('./dead-letters.ts')).dropDeadLetters(options, io));
  on(checkCommand(program), async (options, io) => (await import('./check.ts')).check(options, io));
  on(recoverCommand(program), async (options, io) => (await import('./recover.ts')).recover(options, io));
  on(drillCommand(program), async (options, io) => (await import('./drill.ts')).drill(options, io));
  on(benchCommand(program), async (options, io) => (await import('./bench.ts')).bench(options, io));
  on(rulesCheckCommand(program), async (options, io, words) => (await import('./rules-check.ts')).rulesCheck(options, io, words));
  on(settingsCommand(program), async (options, io) => (await import('./settings.ts')).settings(options, io));
  try {
    await program.parseAsync(args, { from: 'user' });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    return failed(error, terminal, args.includes('--json'));
  }
}

/** Commander exits by itself unless told otherwise; subcommands inherit that from their parent. */
function base({ out, err }: Terminal): Command {
  return new Command('tallystick')
    .description('Counters and frequency control whose every tier can prove its count against the next.')
    .version(version(), '-v, --version')
    .exitOverride()
    .enablePositionalOptions() // an option behind the name of a subcommand is one of that
    .configureOutput({ writeOut: (text) => out(text.trimEnd()), writeErr: (text) => err(text.trimEnd()) })
    .showHelpAfterError('(--help says more)')
    .addHelpText('after', EXIT_HELP);
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

const HELP_COLUMNS = 80;
const HELP_INDENT = '      ';

/** An option on a line of its own and its description below, so that neither is wider than a terminal. */
function formatItem(term: string, _termWidth: number, description: string, helper: Help): string {
  const lines = helper.boxWrap(description, HELP_COLUMNS - HELP_INDENT.length).split('\n');
  return [`  ${term}`, ...lines.map((line) => HELP_INDENT + line)].join('\n');
}

const json = (command: Command): Command => command.option('--json', 'print JSON, one document a line');

function serveCommand(program: Command): Command {
  const command = program.command('serve').description('run a node: HTTP and gRPC over counters on disk or in Redis');
  command.configureHelp({ formatItem });
  command.option('--config <file>', 'file of settings, YAML or JSON');
  for (const { flag, placeholder, meaning, default: fallback } of reference) {
    command.option(`${flag} <${placeholder}>`, fallback === '' ? meaning : `${meaning} (default ${fallback})`);
  }
  return json(command).addHelpText('after', SERVE_HELP);
}

function toNode(command: Command): Command {
  return json(command)
    .option('--server <url>', 'node to talk to (default: TALLYSTICK_SERVER, else the http setting)')
    .option('--config <file>', 'file of settings that names the node')
    .addOption(new Option('--type <type>', 'counter type').choices(COUNTER_TYPES))
    .option('--window-ms <n>', 'window of the sliding and unique types')
    .option('--slices <n>', 'sub-counters of sliding-window and unique-approx');
}

function getCommand(program: Command): Command {
  const command = program.command('get').description('read counters of a running node').argument('<key...>', 'keys');
  return toNode(command).addHelpText('after', GET_HELP);
}

function addCommand(program: Command): Command {
  const command = program
    .command('add')
    .description('add to a counter of a running node')
    .argument('<key>', 'key')
    .argument('[delta]', 'signed amount', '1')
    .option('--min <n>', 'a decrease stops here')
    .option('--max <n>', 'an increase stops here')
    .option('--ttl-ms <n>', 'lifetime, given when the counter is created')
    .option('--shards <n>', 'over how many partitions the adds of a sharded counter are spread')
    .option('--member <name>', 'the member that was seen, for the unique types')
    .option('--request-id <id>', 'makes a repeated call harmless');
  return toNode(command).addHelpText('after', ADD_HELP);
}

function recoverCommand(program: Command): Command {
  const command = program
    .command('recover')
    .description('send again what a journal holds and Redis does not')
    .option('--journal <path>', 'folder of the journal, or a copy of it (default: journal in the data setting)')
    .option('--from <time>', 'leave out what was written before: 2026-12-01T03:00:00Z')
    .option('--to <time>', 'leave out what was written after')
    .option('--dry-run', 'say what would be sent, and send nothing')
    .option('--config <file>', 'file of settings that names Redis');
  return json(withSettings(command, ['redis', 'mysql', 'partitions', 'data'])).addHelpText('after', RECOVER_HELP);
}

/** The options of a node that say where its servers and data are. */
function withSettings(command: Command, names: readonly string[]): Command {
  for (const { flag, placeholder, meaning } of reference.filter(({ name }) => names.includes(name))) {
    command.option(`${flag} <${placeholder}>`, meaning);
  }
  return command.configureHelp({ formatItem });
}

function syncCommand(program: Command): Command {
  const command = program
    .command('sync')
    .description('carry what Redis has counted to the ledger')
    .option('--relay', 'only from Redis to Kafka')
    .option('--sink', 'only from Kafka to the ledger')
    .option('--config <file>', 'file of settings that names the servers');
  return json(withSettings(command, ['redis', 'mysql', 'kafka', 'partitions', 'logLevel'])).addHelpText('after', SYNC_HELP);
}

function drillCommand(program: Command): Command {
  const command = program
    .command('drill')
    .description('let faults strike private servers under load, and print the account')
    .option('--scenario <names>', 'which faults, separated by commas, or "list" (default: all that can be run here)')
    .option('--strikes <n>', 'how often a fault strikes', '3')
    .option('--minutes <n>', 'any of the scenarios, at random, for so long')
    .option('--seed <n>', 'of the order with --minutes (default: another each time; it is printed)')
    .option('--ledger-less', 'Redis alone, without a database')
    .option('--kafka-jars <folder>', 'libs folder of a Kafka that was unpacked');
  return json(command).addHelpText('after', DRILL_HELP);
}

function checkCommand(program: Command): Command {
  const command = program
    .command('check')
    .description('compare what Redis has with what the ledger has')
    .option('--sample <n>', 'look at so many keys, chosen by chance (default 100)')
    .option('--full', 'look at every key')
    .addOption(new Option('--repair <side>', 'put this side right').choices(['redis', 'ledger']))
    .option('--wait-ms <n>', 'how long the log may take to reach the ledger (default 30000)')
    .option('--config <file>', 'file of settings that names the servers');
  return json(withSettings(command, ['redis', 'mysql'])).addHelpText('after', CHECK_HELP);
}

function listCommand(letters: Command): Command {
  return withLetters(letters.command('list').description('print them, the oldest first').option('--limit <n>', 'at most so many (default 100)'));
}

function replayCommand(letters: Command): Command {
  const giveUp = 'also what waits for records that never came, which are lost then, and what may have been applied';
  return withLetters(letters.command('replay').description('apply what can be applied by now, each once').option('--give-up', giveUp));
}

function dropCommand(letters: Command): Command {
  return withLetters(letters.command('drop').description('remove them: what they hold is never counted').option('--all', 'whatever they are'));
}

function withLetters(command: Command): Command {
  command
    .option('--id <ids>', 'only these, with commas between them')
    .option('--partition <n>', 'only of this partition')
    .addOption(new Option('--reason <reason>', 'only of this reason').choices(['gap', 'unreadable', 'impossible', 'forgotten']))
    .option('--config <file>', 'file of settings that names the ledger');
  return json(withSettings(command, ['mysql'])).addHelpText('after', DEAD_LETTERS_HELP);
}

function benchCommand(program: Command): Command {
  const command = program
    .command('bench')
    .description('compare this machine’s counting with a plain Map, in memory')
    .option('--round-ms <n>', 'length of one round', '200');
  return json(command).addHelpText('after', EXIT_HELP);
}

function rulesCheckCommand(program: Command): Command {
  const rules = program.command('rules').description('about the rules file of a node');
  const command = rules.command('check').description('check a rules file and tell all that is wrong with it').argument('<file>', 'YAML or JSON');
  return json(command).addHelpText('after', RULES_HELP);
}

function settingsCommand(program: Command): Command {
  return json(program.command('settings').description('print every setting of a node, as a Markdown table'));
}
