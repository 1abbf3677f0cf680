// The real IdeClient and the real edit tools of Gemini CLI's core, driven by JSON lines.
// `edit` and `write` run the tools as the CLI does: they compute the change, open the diff in the editor,
// wait for the answer, and then write the file by the tool's own rule (read again, replace, keep CRLF).
import { load } from '../load.mjs';
import { emit, serve } from '../json_lines.mjs';

const core = await load('@google/gemini-cli-core');
const { IdeClient, ideContextStore, EditTool, WriteFileTool, Config, ToolConfirmationOutcome } = core;

let client;

function status() {
  return { ...client.getConnectionStatus(), ide: client.getCurrentIde() ?? null, diffing: client.isDiffingEnabled() };
}

async function makeConfig() {
  const folder = process.cwd();
  const config = new Config({
    sessionId: 'tests',
    targetDir: folder,
    cwd: folder,
    debugMode: false,
    model: 'none',
    ideMode: true,
    usageStatisticsEnabled: false,
    telemetry: { enabled: false },
    disableLLMCorrection: true,
  });
  await config.storage.initialize();
  // The tools ask for the model that would correct a change; with correction disabled it is never used.
  config.getBaseLlmClient = () => undefined;
  return config;
}

/** Runs one tool call to its end, with the user's answer coming from the editor or from `resolve`. */
async function runTool(tool, parameters) {
  const signal = new AbortController().signal;
  const invocation = tool.build(parameters);
  const details = await invocation.getConfirmationDetails(signal);
  if (!details) return { outcome: 'refused', error: 'the tool could not compute the change' };
  emit('confirming', { path: details.filePath, proposed: details.newContent, inEditor: Boolean(details.ideConfirmation) });
  const answer = await details.ideConfirmation;
  if (answer?.status !== 'accepted') {
    await details.onConfirm(ToolConfirmationOutcome.Cancel);
    return { outcome: 'rejected' };
  }
  await details.onConfirm(ToolConfirmationOutcome.ProceedOnce);
  const result = await invocation.execute({ abortSignal: signal });
  return { outcome: 'accepted', content: answer.content ?? null, error: result.error?.message ?? null };
}

const calls = {
  /** A new client, as if this process had been started in that folder with those variables (null: without). */
  begin({ cwd, env }) {
    process.chdir(cwd);
    for (const [name, value] of Object.entries(env)) {
      if (value === null) delete process.env[name];
      else process.env[name] = value;
    }
    IdeClient.instancePromise = null;
    client = undefined;
  },
  /** What the end of the process does. */
  async end() {
    await client?.disconnect();
    ideContextStore.clear();
    if (client) client.setState = () => {}; // its streams may yet tell it of their end, and the store is not its own
  },
  /** Finds the editor and connects, as `/ide enable` does. */
  async connect() {
    client ??= await IdeClient.getInstance();
    client.addStatusChangeListener((state) => emit('status', state));
    await client.connect({ logToConsole: false });
    return status();
  },
  async disconnect() {
    await client.disconnect();
    return status();
  },
  status,
  context: () => ideContextStore.get() ?? null,
  tools: () => client.availableTools,
  /** Opens a diff; the answer comes when the user, or `resolve`, has decided. */
  open_diff: ({ path, content }) => client.openDiff(path, content),
  close_diff: async ({ path, suppress }) => ({ content: (await client.closeDiff(path, { suppressNotification: suppress })) ?? null }),
  /** What the CLI does when the user answers in the terminal. */
  resolve: ({ path, outcome }) => client.resolveDiffFromCli(path, outcome),
  /** The `replace` tool: old text to new text in a file; an empty old text creates the file. */
  async edit({ path, before, after }) {
    const config = await makeConfig();
    const parameters = { file_path: path, old_string: before, new_string: after, instruction: 'Make the change.' };
    return runTool(new EditTool(config, config.messageBus), parameters);
  },
  /** The `write_file` tool. */
  async write({ path, content }) {
    const config = await makeConfig();
    return runTool(new WriteFileTool(config, config.messageBus), { file_path: path, content });
  },
};

ideContextStore.subscribe((context) => emit('context', { context: context ?? null }));
serve(calls, () => client?.disconnect());
