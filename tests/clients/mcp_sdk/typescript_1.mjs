// A client of the TypeScript SDK 1.x. Argument: the package's alias. URL and token come from the environment.
import { load } from '../load.mjs';
import { converse, firstOf } from './conversation.mjs';

const alias = process.argv[2];
const { Client } = await load(alias, './client');
const { StreamableHTTPClientTransport } = await load(alias, './client/streamableHttp.js');

const { first, take } = firstOf(['ide/contextUpdate', 'ide/diffAccepted']);
const client = new Client({ name: alias, version: '1' });
client.fallbackNotificationHandler = async (notification) => take(notification);
const errors = [];
client.onerror = (error) => errors.push(String(error));
const transport = new StreamableHTTPClientTransport(new URL(process.env.COMPANION_TEST_URL), {
  requestInit: { headers: { Authorization: `Bearer ${process.env.COMPANION_TEST_TOKEN}` } },
});
await client.connect(transport);
await converse(client, first, { revision: transport.protocolVersion, server: client.getServerVersion(), errors });
await transport.terminateSession();
await client.close();
