import {
  type ContextItem,
  isCompaction,
  type Message,
  type MessageItem,
  type SectionItem,
} from "@promptfold/contract";
import { agentConfig, type AgentState } from "@promptfold/fold";
import { serializeSections } from "@promptfold/parser";
import { protocolText } from "./protocol.ts";
import { standingSections } from "./standing-document.ts";

/** What decides the messages besides the state. */
export interface RenderMessagesOptions {
  /** Protocol version; by default the open request's, else the configured one. */
  readonly protocol?: string | undefined;
  /** A protocol text to try instead of the version's own. A released request always has the version's. */
  readonly protocolText?: string | undefined;
}

/** Where a section's part of a message's text begins: after the section before it. */
export interface SectionStart {
  /** UTF-16 units from the beginning of the text. */
  readonly start: number;
  readonly key: string;
  /** Offset of the event that set the section's text. */
  readonly offset: number;
}

/** A message with the sections that it was made of, so that a place in its text can be told by its section. */
export interface RenderedMessage extends Message {
  /** Of the standing document or an updated section: its sections in order. Absent for every other message. */
  readonly sections?: readonly SectionStart[] | undefined;
}

/**
 * Renders a state into messages: the protocol message, the standing document, the timeline. Nothing is altered here:
 * only blank messages are left out.
 *
 * @throws UnknownProtocolError (`unknown-protocol`) for a protocol that this release does not ship.
 */
export function renderMessages(state: AgentState, options: RenderMessagesOptions = {}): Message[] {
  return withoutSections(renderWithSections(state, options));
}

/**
 * The messages as events and people know them: what a request says, and where it came from. Done in the list itself,
 * which nobody else has: a long one is not copied.
 */
export function withoutSections(messages: RenderedMessage[]): Message[] {
  for (let index = 0; index < messages.length; index++) {
    const { sections, role, content, from } = messages[index] as RenderedMessage;
    if (sections !== undefined) messages[index] = { role, content, from };
  }
  return messages;
}

/** The messages of `renderMessages` with the sections that they were made of, for the mappings. */
export function renderWithSections(state: AgentState, options: RenderMessagesOptions): RenderedMessage[] {
  const { items } = state;
  const sections = standingSections(items);
  const text = options.protocolText ?? protocolText(options.protocol ?? requestedProtocol(state));
  const messages = renderStandingMessages(sections, text);
  for (let position = sections.length; position < items.length; position++) {
    const message = renderItem(items.at(position));
    if (message !== undefined) messages.push(message);
  }
  return messages;
}

/** The messages that every request of an agent begins with: the protocol, and the standing document if there is one. */
export function renderStandingMessages(sections: readonly SectionItem[], text: string): RenderedMessage[] {
  const document = renderStandingDocument(sections);
  const first: Message = { role: "system", content: text, from: { kind: "protocol", offset: 0 } };
  return document === undefined ? [first] : [first, document];
}

/** The protocol version that the open request asks for, or else the configuration. */
export function requestedProtocol(state: AgentState): string {
  return String(state.openRequest?.payload.protocol ?? agentConfig(state).protocol);
}

function renderStandingDocument(sections: readonly SectionItem[]): RenderedMessage | undefined {
  const first = sections[0];
  if (first === undefined) return undefined;
  const starts: SectionStart[] = [];
  let content = "";
  for (const { key, offset, payload } of sections) {
    starts.push({ start: content.length, key, offset });
    // What several sections are written as is what each is written as, a blank line between two.
    content += `${content === "" ? "" : "\n\n"}${serializeSections([{ key, content: payload.content }])}`;
  }
  return {
    role: "system",
    content,
    from: { kind: "standing-document", offset: first.offset },
    sections: starts,
  };
}

/** One item of the timeline as a message, or undefined for a blank one. */
export function renderItem(item: ContextItem): RenderedMessage | undefined {
  switch (item.kind) {
    case "message":
      return renderMessage(item);
    case "section":
      return {
        role: item.payload.role,
        content: renderTimelineSection(item),
        from: { kind: "section", offset: item.offset },
        sections: [{ start: 0, key: item.key, offset: item.offset }],
      };
    case "request":
      return {
        role: "developer",
        content: `Requested at: ${item.requestedAt}`,
        from: { kind: "request", offset: item.offset },
      };
  }
}

function renderMessage(item: MessageItem): Message | undefined {
  const { payload, offset } = item;
  if (isBlank(payload.content)) return undefined;
  const role = item.outside === true || isCompaction(payload) ? "user" : payload.role;
  return { role, content: payload.content, from: { kind: "message", offset } };
}

/**
 * Whether a text is only white space, in JavaScript's sense or in that of the servers that refuse blank texts: they
 * also count the separators U+001C to U+001F and U+0085.
 */
function isBlank(text: string): boolean {
  return !/[^\s\u001c-\u001f\u0085]/.test(text);
}

/** One section with its content escaped as in the standing document, and `supersedes` on its tag where it is set. */
function renderTimelineSection({ key, supersedes, payload }: SectionItem): string {
  const serialized = serializeSections([{ key, content: payload.content }]);
  if (supersedes === undefined) return serialized;
  const openingTag = `<section key="${key}"`;
  return `${openingTag} supersedes="@${supersedes}"${serialized.slice(openingTag.length)}`;
}
