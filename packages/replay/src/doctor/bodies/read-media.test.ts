import { describe, expect, it } from "vitest";
import { diagnoseBodies, formatDiagnosis } from "../../index.ts";

const data = (seed: string): string => `${seed}BORw0KGgo`.repeat(20_000);
const url = (seed: string): string => `data:image/png;base64,${data(seed)}`;
/** Would count each character of base64. */
const options = { countTokens: (text: string): number => text.length, minimumTokens: 0 };

type Body = Readonly<Record<string, unknown>>;
const chat = (part: object, more: readonly object[] = []): Body => ({
  model: "gpt-5",
  messages: [{ role: "user", content: [part] }, ...more],
});
const responses = (part: object): Body => ({ model: "gpt-5", input: [{ role: "user", content: [part] }] });
const anthropic = (part: object): Body => ({
  model: "claude-opus-5",
  system: "",
  messages: [{ role: "user", content: [part] }],
});
const gemini = (part: object): Body => ({
  model: "gemini-2.5-flash",
  contents: [{ role: "user", parts: [part] }],
});
const base64 = (type: string): object => ({ type: "base64", media_type: type, data: data("A") });

describe("media", () => {
  it.each<[string, Body, number]>([
    ["a data URL", chat({ type: "image_url", image_url: { url: url("A") } }), 765],
    [
      "an image in little detail",
      chat({ type: "image_url", image_url: { url: url("A"), detail: "low" } }),
      85,
    ],
    ["an image's address", chat({ type: "image_url", image_url: { url: "https://x/1.png" } }), 765],
    ["a sound", chat({ type: "input_audio", input_audio: { data: data("A"), format: "mp3" } }), 100],
    [
      "a file",
      chat({
        type: "file",
        file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${data("A")}` },
      }),
      3000,
    ],
    ["a Responses image", responses({ type: "input_image", image_url: url("A") }), 765],
    ["a Responses file", responses({ type: "input_file", filename: "a.pdf", file_data: data("A") }), 3000],
    ["a Responses file's identifier", responses({ type: "input_file", file_id: "file-1" }), 1000],
    ["an Anthropic image", anthropic({ type: "image", source: base64("image/jpeg") }), 1600],
    [
      "an image to another model behind Anthropic's API",
      { ...anthropic({ type: "image", source: base64("image/jpeg") }), model: "kimi-k2" },
      765,
    ],
    ["an Anthropic PDF", anthropic({ type: "document", source: base64("application/pdf") }), 3 * 2250],
    ["a Gemini image", gemini({ inlineData: { mimeType: "image/png", data: data("A") } }), 258],
    [
      "a Gemini image in the REST API's words",
      gemini({ inline_data: { mime_type: "image/png", data: data("A") } }),
      258,
    ],
    ["a Gemini file", gemini({ fileData: { mimeType: "video/mp4", fileUri: "https://x/1.mp4" } }), 18_000],
    [
      "an AI SDK image",
      { messages: [{ role: "user", content: [{ type: "file", data: data("A"), mediaType: "image/png" }] }] },
      765,
    ],
  ])("as %s are counted by an estimate", (_, body, tokens) => {
    const { totalTokens, notes } = diagnoseBodies([body], options);
    expect(totalTokens).toBe(tokens);
    expect(notes).toContainEqual(
      expect.objectContaining({ kind: "media-estimated", isFault: false, count: 1, tokens }),
    );
  });

  it("are counted inside a tool's result, with the text beside them", () => {
    const result = {
      type: "tool_result",
      tool_use_id: "1",
      content: [
        { type: "text", text: "seen" },
        { type: "image", source: base64("image/png") },
      ],
    };
    const { totalTokens } = diagnoseBodies([anthropic(result)], options);
    expect(totalTokens).toBeGreaterThan(1600);
    expect(totalTokens).toBeLessThan(1800);
  });

  it("are left out of the text beside them, whatever is in their addresses, as often as one stands there", () => {
    const image = { type: "image", source: { type: "url", url: `https://x/"$&".png?${"y".repeat(500)}` } };
    const result = (...content: object[]): Body =>
      anthropic({
        type: "tool_result",
        tool_use_id: "1",
        content: [{ type: "text", text: "seen" }, ...content],
      });
    const tokens = (...content: object[]): number =>
      diagnoseBodies([result(...content)], options).totalTokens ?? 0;
    const [one, two, many] = [
      tokens(image),
      tokens(image, image),
      tokens(...Array.from({ length: 40 }, () => image)),
    ];
    expect(two - one).toBe(1600 + ',""'.length);
    expect(many - one).toBe(39 * (two - one));
  });

  it.each<[string, object]>([
    ["a text", { type: "text", text: url("A") }],
    [
      "what a tool was called with",
      { type: "tool_use", id: "1", name: "f", input: { image: { type: "image", data: url("A") } } },
    ],
    [
      "a document that is given as text",
      { type: "document", source: { type: "text", media_type: "text/plain", data: data("A") } },
    ],
  ])("are not found in %s, which the model reads as text", (_, part) => {
    const { totalTokens, notes } = diagnoseBodies([anthropic(part)], options);
    expect(totalTokens).toBeGreaterThanOrEqual(data("A").length);
    expect(notes.filter(({ kind }) => kind === "media-estimated")).toEqual([]);
  });

  const answered = [
    { role: "assistant", content: "a cat" },
    { role: "user", content: "sure?" },
  ];

  it("are compared as wholes, and a swap is named", () => {
    const part = (seed: string): object => ({ type: "image_url", image_url: { url: url(seed) } });
    const diagnosis = diagnoseBodies([chat(part("A")), chat(part("B"), answered)], options);
    expect(diagnosis.breaks).toMatchObject([
      {
        cause: "media-changed",
        place: { path: "messages[0].content[0]", character: 0, byte: 0 },
        lostTokens: 765,
        sharedTokens: 0,
      },
    ]);
    const text = formatDiagnosis(diagnosis);
    expect(text).toContain("another image stands at messages[0].content[0], or the same one encoded anew");
    expect(text).toMatch(/before {2}▸\[image\/png, 150 KB, digest \w+\]\n/);
  });

  it("with a signed address are named so", () => {
    const part = (signature: string): object => ({
      type: "image_url",
      image_url: { url: `https://s3/x.png?X-Amz-Signature=${signature}` },
    });
    const bodies = [chat(part("abcdef0123456789")), chat(part("0123456789abcdef"), answered)];
    expect(diagnoseBodies(bodies, options).breaks).toMatchObject([{ cause: "varying-id" }]);
  });

  it("that stay are no break, and take no part in another one's place", () => {
    const part = { type: "image_url", image_url: { url: url("A") } };
    const body = (time: string, more: readonly object[]): Body => ({
      model: "gpt-5",
      messages: [
        { role: "system", content: `It is ${time}.` },
        ...(chat(part, more)["messages"] as object[]),
      ],
    });
    expect(diagnoseBodies([chat(part), chat(part, answered)], options)).toMatchObject({
      breaks: [],
      reusableTokens: 765,
    });
    expect(diagnoseBodies([body("10:00", []), body("10:01", answered)], options).breaks).toMatchObject([
      { cause: "clock", lostTokens: 765 + "0.".length },
    ]);
  });

  const image = (more: object): object => ({
    type: "image_url",
    image_url: { url: url("A"), detail: "high", ...more },
  });
  const pdf = (more: object): object => ({ type: "document", source: base64("application/pdf"), ...more });
  const film = (fps: number): object => ({
    fileData: { mimeType: "video/mp4", fileUri: "https://x/1.mp4" },
    videoMetadata: { fps },
  });
  const goOn = (body: Body): Body =>
    "contents" in body
      ? {
          ...body,
          contents: [
            ...(body["contents"] as object[]),
            { role: "model", parts: [{ text: "a cat" }] },
            { role: "user", parts: [{ text: "sure?" }] },
          ],
        }
      : { ...body, messages: [...(body["messages"] as object[]), ...answered] };

  it.each<[string, Body, Body, string, string]>([
    [
      "less detail",
      chat(image({})),
      chat(image({ detail: "low" })),
      "history-rewritten",
      "changed: `detail`",
    ],
    [
      "another name",
      chat({ type: "file", file: { file_id: "f", filename: "a" } }),
      chat({ type: "file", file: { file_id: "f", filename: "b" } }),
      "history-rewritten",
      "changed: `filename`",
    ],
    [
      "a title",
      anthropic(pdf({})),
      anthropic(pdf({ title: "A" })),
      "history-rewritten",
      "a field of messages[0].content[0] was added: `title`",
    ],
    [
      "a title with a time",
      anthropic(pdf({ title: "As of 10:01" })),
      anthropic(pdf({ title: "As of 10:05" })),
      "clock",
      "a date or a time",
    ],
    [
      "another context",
      anthropic(pdf({ context: "old" })),
      anthropic(pdf({ context: "new" })),
      "history-rewritten",
      "changed: `context`",
    ],
    [
      "citations",
      anthropic(pdf({})),
      anthropic(pdf({ citations: { enabled: true } })),
      "history-rewritten",
      "a field of messages[0].content[0] was added: `citations`",
    ],
    ["more pictures a second", gemini(film(1)), gemini(film(5)), "history-rewritten", "`videoMetadata`"],
  ])("that are the same with %s beside them are a break", (_, before, after, cause, detail) => {
    const { breaks } = diagnoseBodies([goOn(before), goOn(goOn(after))], options);
    expect(breaks).toMatchObject([{ cause, detail: expect.stringContaining(detail) as string }]);
  });

  it.each<[string, Body, Body]>([
    [
      "the detail that is asked for by default",
      chat(image({ detail: "auto" })),
      chat(image({ detail: null })),
    ],
    [
      "what is not set",
      anthropic(pdf({ title: null, citations: { enabled: false } })),
      anthropic(pdf({ context: null })),
    ],
    [
      "fields in another order",
      anthropic(pdf({ title: "a", context: "b" })),
      anthropic({ context: "b", title: "a", ...pdf({}) }),
    ],
    ["a mark", anthropic(pdf({ cache_control: { type: "ephemeral" } })), anthropic(pdf({}))],
  ])("that are the same but for %s are no break", (_, before, after) => {
    expect(diagnoseBodies([goOn(before), goOn(goOn(after))], options).breaks).toEqual([]);
  });

  it("count with the title and the context that a document has", () => {
    const tokens = (more: object): number => diagnoseBodies([anthropic(pdf(more))], options).totalTokens ?? 0;
    const read = { title: "Report", context: "Written in spring." };
    expect(tokens(read) - tokens({})).toBe(`${read.title}\n${read.context}`.length);
    expect(tokens({ citations: { enabled: true } })).toBe(tokens({}));
  });

  it("and more data beside them are not held as they are", () => {
    const signed = (signature: string): Body =>
      gemini({ inlineData: { mimeType: "image/png", data: data("A") }, thoughtSignature: data(signature) });
    const { breaks } = diagnoseBodies([goOn(signed("A")), goOn(goOn(signed("B")))], options);
    expect(breaks).toMatchObject([{ detail: expect.stringContaining("`thoughtSignature`") as string }]);
    expect(breaks[0]?.place?.next?.text).toMatch(/\{"thoughtSignature":"\[digest \w+\]"\}$/);
  });
});
