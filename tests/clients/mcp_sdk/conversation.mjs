// The conversation that every client of an official SDK has with the server: initialize, list, openDiff, context, accept.
// Prints what it got as one line of JSON.

export const FILE = '/workspace/greeting.txt';
const WAIT = 15000;

/** Notifications by method, as promises of the first one's params. */
export function firstOf(methods) {
  const resolvers = {};
  const first = {};
  for (const method of methods) {
    first[method] = new Promise((resolve, reject) => {
      resolvers[method] = resolve;
      setTimeout(() => reject(new Error(`no ${method} within ${WAIT} ms`)), WAIT).unref();
    });
    first[method].catch(() => {});
  }
  return { first, take: ({ method, params }) => resolvers[method]?.(params) };
}

/** Has the conversation with a connected client and prints it. */
export async function converse(client, first, more) {
  const { tools } = await client.listTools();
  const call = { name: 'openDiff', arguments: { filePath: FILE, newContent: 'proposed\n' } };
  const opened = await client.callTool(call);
  const context = await first['ide/contextUpdate'];
  const accepted = await first['ide/diffAccepted'];
  const closed = await client.callTool({ name: 'closeDiff', arguments: { filePath: FILE, suppressNotification: true } });
  let refusal;
  try {
    const result = await client.callTool({ name: 'openDiff', arguments: { filePath: FILE } });
    refusal = result.isError ? result.content[0].text : 'not refused';
  } catch (error) {
    refusal = error.message;
  }
  console.log(JSON.stringify({ ...more, tools: tools.map((tool) => tool.name), opened, context, accepted, closed, refusal }));
}
