import { describe, expect, it } from "vitest";
import { diagnoseBodies, listBodies } from "../../index.ts";

const words = (text: string): number => text.split(/\s+/).filter(Boolean).length;
const options = { countTokens: words, minimumTokens: 0 };

describe("a request and the one that it goes on from on the server", () => {
  const developer = { type: "message", role: "developer", content: [{ type: "input_text", text: "a b c" }] };
  const user = { role: "user", content: "hi" };
  const tools = [{ type: "function", name: "shell" }];
  const request = (instructions: string, input: unknown, more: object = {}): object => ({
    model: "gpt-5",
    instructions,
    tools,
    input,
    ...more,
  });
  const events = (id: string): string =>
    `event: response.created\ndata: {"type":"response.created","response":{"id":"${id}"}}\n\n`;

  it.each<[string, (request: object, id: string) => object]>([
    ["a response", (each, id) => ({ request: each, response: { id } })],
    [
      "a response's body as text",
      (body, id) => ({ request: { body }, response: { body: `{"id":"${id}"}` } }),
    ],
    ["a response's events", (each, id) => ({ request: each, response: { body: events(id) } })],
    [
      "a HAR file's entry",
      (each, id) => ({
        request: { postData: { text: JSON.stringify(each) } },
        response: { content: { text: events(id) } },
      }),
    ],
    ["an output", (input, id) => ({ input, output: { id } })],
  ])("are linked in lines with %s, from listBodies as from the log", (_, wrap) => {
    const lines = [
      wrap(request("A", [user]), "resp_1"),
      wrap(request("B", [user], { previous_response_id: "resp_1" }), "resp_2"),
    ];
    const diagnosis = diagnoseBodies(lines, options);
    expect(diagnosis.breaks).toMatchObject([{ body: 1, previous: 0, cause: "system-edited" }]);
    const listed = lines.flatMap((line) => listBodies(JSON.stringify(line)));
    expect(diagnoseBodies(listed, options)).toEqual(diagnosis);
  });

  it("differ in no item of their input, which stays on the server", () => {
    const wrap = (each: object, id: string): object => ({ request: each, response: { id } });
    const next = (input: unknown, id: string): object => request("A b", input, { previous_response_id: id });
    const lines = [
      wrap(request("A b", [developer, user]), "resp_1"),
      wrap(next([user], "resp_1"), "resp_2"),
      wrap(next([developer, user], "resp_2"), "resp_3"),
    ];
    // The tool, with a definition of one word, and the two words of the instructions: no more is known to come first.
    expect(diagnoseBodies(lines, options)).toMatchObject({ breaks: [], reusableTokens: 2 * 3 });
    const edited = wrap(request("A c", [user], { previous_response_id: "resp_3" }), "resp_4");
    expect(diagnoseBodies([...lines, edited], options).breaks).toMatchObject([
      { body: 3, previous: 2, cause: "system-edited", place: { path: "instructions" } },
    ]);
  });
});
