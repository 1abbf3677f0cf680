// The frame of every client program here: JSON lines in on standard input, answers and events out.
//   {"id": 1, "call": "connect", "arguments": {...}}  ->  {"id": 1, "result": ...} or {"id": 1, "error": {...}}
// Calls run side by side: a call that waits for the user holds up no other.
import { createInterface } from 'node:readline';

const write = process.stdout.write.bind(process.stdout);

/** Sends an event to whoever runs this program. */
export function emit(event, details = {}) {
  write(JSON.stringify({ ...details, event }) + '\n');
}

/** Serves `calls` (name -> function of one object) until standard input ends, then runs `finish`. */
export function serve(calls, finish) {
  // Whatever a client library prints must not end up between our lines.
  for (const method of ['log', 'info', 'debug', 'warn', 'error']) {
    console[method] = (...parts) => process.stderr.write(parts.map(String).join(' ') + '\n');
  }
  process.on('unhandledRejection', (error) => emit('unhandled', { message: String(error?.stack ?? error) }));
  const lines = createInterface({ input: process.stdin });
  lines.on('line', async (line) => {
    const { id, call, arguments: given } = JSON.parse(line);
    try {
      if (!Object.hasOwn(calls, call)) throw new Error(`there is no call ${call}`);
      write(JSON.stringify({ id, result: (await calls[call](given ?? {})) ?? null }) + '\n');
    } catch (error) {
      const details = { type: error?.name ?? 'Error', message: error?.message ?? String(error), traceback: error?.stack ?? '' };
      write(JSON.stringify({ id, error: details }) + '\n');
    }
  });
  lines.on('close', async () => {
    await finish?.();
    process.exit(0);
  });
  emit('ready', { pid: process.pid });
}
