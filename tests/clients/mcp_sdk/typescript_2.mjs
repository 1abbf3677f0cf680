// A client of the TypeScript SDK 2.x. Argument: `legacy` for the handshake, `auto` to ask the server first, which makes it
// speak the stateless revision. URL and token come from the environment.
import { load } from '../load.mjs';
import { converse, firstOf } from './conversation.mjs';

const mode = process.argv[2];
const { Client, StreamableHTTPClientTransport } = await load('@modelcontextprotocol/client');

const methods = ['ide/contextUpdate', 'ide/diffAccepted', 'ide/diffRejected'];
const { first, take } = firstOf(methods);
const client = new Client({ name: 'typescript-2', version: '1' }, { versionNegotiation: { mode } });
client.fallbackNotificationHandler = async (notification) => take(notification);
const errors = [];
client.onerror = (error) => errors.push(String(error));
const transport = new StreamableHTTPClientTransport(new URL(process.env.COMPANION_TEST_URL), {
  requestInit: { headers: { Authorization: `Bearer ${process.env.COMPANION_TEST_TOKEN}` } },
});
await client.connect(transport);
let granted;
if (mode === 'auto') {
  const subscription = await client.listen(Object.fromEntries(methods.map((method) => [method, true])));
  granted = subscription.honoredFilter;
}
const revision = client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion;
await converse(client, first, { revision, server: client.getServerVersion(), granted, errors });
await client.close();
