import { describe, expect, it } from "vitest";
import { saysTooLong } from "./says-too-long.ts";
import { summaryFault } from "./summary-fault.ts";

describe("a summary", () => {
  it.each([undefined, "", "stop", "STOP", "end_turn", "completed", "COMPLETE", "eos_token"])(
    "is whole with the finish reason %s",
    (finishReason) => {
      const reason = finishReason === undefined ? {} : { finishReason };
      expect(summaryFault({ text: "so far", ...reason })).toBeUndefined();
    },
  );

  it.each([
    ...["length", "max_tokens", "MAX_TOKENS", "max_output_tokens", "model_context_window_exceeded"],
    ...["content_filter", "content-filter", "refusal", "SAFETY", "incomplete", "error", "tool_calls"],
    ...["stop_sequence", "pause_turn", "constructor", "what comes next year"],
  ])("is not known to be whole with the finish reason %s", (finishReason) => {
    expect(summaryFault({ text: "so f", finishReason })).toBe(`the summary was cut off (${finishReason})`);
  });

  it("that its own limit cut off needs a higher one", () => {
    const fault = summaryFault({ text: "so f", finishReason: "length" }, { maxOutputTokens: 60 });
    expect(fault).toContain("parameters.maxOutputTokens, 60");
    expect(summaryFault({ text: "so f", finishReason: "refusal" }, { maxOutputTokens: 60 })).not.toContain(
      "60",
    );
  });

  it("is not blank", () => {
    expect(summaryFault({ text: " \n\u00a0", finishReason: "stop" })).toBe("the summary is blank");
  });
});

describe("a provider's error", () => {
  it.each([
    'HTTP 400: {"error":{"code":"context_length_exceeded"}}',
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    "Your input exceeds the context window of this model.",
    "prompt is too long: 201000 tokens > 200000 maximum",
    "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "Input is too long for requested model.",
    "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
    "HTTP 413: Request too large",
    "Please reduce the length of the messages or completion.",
  ])("says that a request is too long: %s", (reason) => {
    expect(saysTooLong(reason)).toBe(true);
  });

  it.each([
    "HTTP 503: overloaded",
    "Rate limit reached on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000",
    "Too many tokens, please wait before trying again.",
    "HTTP 401: invalid key",
    "expired",
  ])("says nothing of the length: %s", (reason) => {
    expect(saysTooLong(reason)).toBe(false);
  });
});
