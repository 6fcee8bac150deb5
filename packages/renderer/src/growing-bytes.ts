// The same in every runtime, and in no library that a package without host types can name.
declare const TextEncoder: new () => {
  encodeInto(text: string, target: Uint8Array): { readonly read: number; readonly written: number };
};

/** UTF-8 text that grows at its end, can be cut back, and has an exchangeable head in front of it. */
export class GrowingBytes {
  readonly #encoder = new TextEncoder();
  #buffer = new Uint8Array(4096);
  /** Where the text begins: there is room for the head before it. */
  #start = 1024;
  #end = 1024;
  #headLength = 0;

  /** Bytes of the text after the head. */
  get length(): number {
    return this.#end - this.#start;
  }

  /** Cuts the text back to a length. */
  truncate(length: number): void {
    this.#end = this.#start + length;
  }

  append(text: string): void {
    // Three bytes are the most that one UTF-16 unit takes.
    this.reserve(text.length * 3);
    this.#end += this.#encoder.encodeInto(text, this.#buffer.subarray(this.#end)).written;
  }

  /** Puts an ASCII text in place of the bytes between two places; gives how much longer everything became. */
  replace(from: number, to: number, text: string): number {
    const growth = text.length - (to - from);
    this.reserve(growth);
    const [start, end] = [this.#start + from, this.#start + to];
    this.#buffer.copyWithin(end + growth, end, this.#end);
    this.#encoder.encodeInto(text, this.#buffer.subarray(start, end + growth));
    this.#end += growth;
    return growth;
  }

  /** Puts another head in front of the text. */
  setHead(head: string): void {
    const room = head.length * 3;
    if (room > this.#start) this.#move(room * 2, this.#buffer.length);
    const { written } = this.#encoder.encodeInto(head, this.#buffer.subarray(0, room));
    this.#buffer.copyWithin(this.#start - written, 0, written);
    this.#headLength = written;
  }

  /** Head, text and a tail as one view into the buffer: valid until anything changes. */
  view(tail: string): Uint8Array {
    const { length } = this;
    this.append(tail);
    const view = this.#buffer.subarray(this.#start - this.#headLength, this.#end);
    this.truncate(length);
    return view;
  }

  /** Makes room for so many more bytes; twice that much when there is none, so that growing copies little. */
  reserve(bytes: number): void {
    const needed = this.#end + bytes;
    if (needed > this.#buffer.length) this.#move(this.#start, needed * 2);
  }

  #move(start: number, capacity: number): void {
    const { length } = this;
    const buffer = new Uint8Array(Math.max(capacity, start + length));
    const from = this.#start - this.#headLength;
    buffer.set(this.#buffer.subarray(from, this.#end), start - this.#headLength);
    this.#buffer = buffer;
    this.#start = start;
    this.#end = start + length;
  }
}
