// Gives every request of the conformance suite the bearer token: the suite itself has no option for one.
// Loaded before it with `node --import`; some of its scenarios use fetch, others node:http.
import diagnostics from 'node:diagnostics_channel';

const value = `Bearer ${process.env.COMPANION_TEST_TOKEN}`;
diagnostics.subscribe('undici:request:create', ({ request }) => request.addHeader('authorization', value));
diagnostics.subscribe('http.client.request.created', ({ request }) => request.setHeader('authorization', value));
