// A server of the official TypeScript SDK on express, with a tool like ours. See `control.py` for what it obeys.
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { load } from '../../clients/load.mjs';

const sdk = 'mcp-sdk-1-newest';
const { Server } = await load(sdk, './server');
const { StreamableHTTPServerTransport } = await load(sdk, './server/streamableHttp.js');
const { CallToolRequestSchema } = await load(sdk, './types.js');
const express = (await load('express')).default;

const context = JSON.parse(process.env.BENCHMARK_CONTEXT ?? '{}');
const sessions = new Map();

async function open() {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => sessions.set(id, { transport, server }),
    onsessionclosed: (id) => sessions.delete(id),
  });
  const server = new Server({ name: 'benchmark', version: '1' }, { capabilities: { tools: {}, logging: {} } });
  server.setRequestHandler(CallToolRequestSchema, async () => ({ content: [] }));
  await server.connect(transport);
  return transport;
}

const application = express();
application.use(express.json({ limit: '64mb' }));
application.all('/mcp', async (request, response) => {
  const known = sessions.get(request.headers['mcp-session-id']);
  await (known?.transport ?? (await open())).handleRequest(request, response, request.body);
});

const listener = application.listen(0, '127.0.0.1', () => console.log(listener.address().port));
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'notify') {
    for (const { server } of sessions.values()) {
      server.notification({ method: 'ide/contextUpdate', params: context }).catch(() => {});
    }
  } else if (line === 'seconds') {
    const used = process.cpuUsage();
    console.log((used.user + used.system) / 1e6);
  } else {
    console.log(process.memoryUsage.rss());
  }
}
process.exit(0);
