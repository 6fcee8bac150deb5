export { runCodemodeTag, type RunCodemodeTagOptions } from "./run-codemode-tag.ts";
export { CODEMODE_TAG_PROCESSOR, REPLY_FORMAT_KEY } from "./adopt-agent.ts";
