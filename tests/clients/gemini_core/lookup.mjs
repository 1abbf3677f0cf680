// The look for the editor's window of Gemini CLI's core by itself, driven by JSON lines: for many situations at once,
// without a server behind any of them.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { serve } from '../json_lines.mjs';

const MODULE = '@google/gemini-cli-core/dist/src/ide/ide-connection-utils.js';
const folder = process.env.COMPANION_NODE_MODULES;
const core = await import(pathToFileURL(path.join(folder, ...MODULE.split('/'))).href);
const PORT = 'GEMINI_CLI_IDE_SERVER_PORT';

serve({
  /** The content of the discovery file by which the client would connect, or null. */
  async look({ temporary, folder: cwd, pid, port }) {
    process.env.TMPDIR = process.env.TMP = process.env.TEMP = temporary;
    if (port) process.env[PORT] = port;
    else delete process.env[PORT];
    process.chdir(cwd);
    const found = await core.getConnectionConfigFromFile(pid);
    // When nothing fits, the client still reads one file, only to say in its message which folder it names.
    return found && core.validateWorkspacePath(found.workspacePath, cwd).isValid ? found : null;
  },
});
