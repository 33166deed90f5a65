// The whole round trip with the generated TypeScript types: upload, job, ask, citation, page, download, events.
// Compiled in strict mode and run by tests/api/test_api_clients.py.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

const TEXT = "# Liquidity policy\n\nThe drawdown of the Alpha Fund was 11.5 % in Q4 2023, a third of the limit.\n";
const LONGEST_MS = 120_000;
type Document = components["schemas"]["Document"];

function clientWith(variable: string) {
  const headers = { Authorization: `Bearer ${process.env[variable]}` };
  return createClient<paths>({ baseUrl: process.env.GLASSBOX_URL, headers });
}

const client = clientWith("GLASSBOX_KEY");

async function upload(scope: string) {
  return client.POST("/api/v1/documents/", {
    params: { header: { "Idempotency-Key": `typescript-${scope}` } },
    body: { file: TEXT, scope, kind: "run", jurisdictions: ["DE", "LU"] },
    bodySerializer: ({ file, jurisdictions, ...fields }) => {
      const form = new FormData();
      form.append("file", new Blob([file], { type: "text/markdown" }), "liquidity.md");
      for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
      for (const each of jurisdictions ?? []) form.append("jurisdictions", each);
      return form;
    },
  });
}

async function uploaded(): Promise<Document> {
  const refused = await upload("fund:none");
  assert.deepEqual([refused.error?.status, Object.keys(refused.error?.errors ?? {})], [400, ["scope"]]);
  const sent = await upload("fund:alpha");
  assert.equal(sent.response.status, 202, JSON.stringify(sent.error));
  const again = await upload("fund:alpha");
  assert.equal(again.response.headers.get("Idempotent-Replayed"), "true");
  assert.deepEqual(sent.data?.jurisdictions, ["DE", "LU"]);
  const id = sent.data?.job?.id;
  assert.ok(sent.data && id);
  for (const deadline = Date.now() + LONGEST_MS; ; ) {
    const { data: job } = await client.GET("/api/v1/jobs/{id}/", { params: { path: { id } } });
    if (job?.status === "succeeded") return sent.data;
    assert.notEqual(job?.status, "failed", job?.error?.detail);
    assert.ok(Date.now() < deadline, job?.sentence);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

const document = await uploaded();
const listed = await client.GET("/api/v1/documents/", { params: { query: { kind: ["run", "schedule"], q: "Liquidity" } } });
assert.ok(listed.data?.results.some((each) => each.id === document.id));
const none = await client.GET("/api/v1/documents/", { params: { query: { kind: ["schedule", "methodology"] } } });
assert.deepEqual(none.data?.results, []);

// Neither scopes nor trace: what has a default need not be sent.
const { data: answer } = await client.POST("/api/v1/query/", {
  body: { question: "What was the drawdown of the Alpha Fund in Q4 2023?" },
});
assert.ok(answer && !answer.refused && answer.refusal === null);
const citation = answer.citations.find((each) => each.document.id === document.id);
assert.ok(citation, JSON.stringify(answer.citations));
const { data: page } = await client.GET("/api/v1/documents/{id}/pages/{number}/", {
  params: { path: { id: citation.document.id, number: citation.page } },
});
assert.equal([...(page?.text ?? "")].slice(citation.char_start, citation.char_end).join(""), citation.quote);

const download = await client.GET("/api/v1/documents/{id}/content/", {
  params: { path: { id: document.id } },
  parseAs: "arrayBuffer",
});
assert.ok(download.data);
assert.equal(new TextDecoder().decode(download.data), TEXT);

const log = clientWith("GLASSBOX_LOG_KEY");
const events = await log.GET("/api/v1/audit/events/", { params: { query: { subject_id: document.id } } });
assert.ok(events.data?.results.some((each) => each.action === "corpus.document.received"));
const asked = await log.GET("/api/v1/audit/events/{id}/", { params: { path: { id: answer.audit_event_id } } });
assert.equal(asked.data?.action, "retrieval.question.answered");
