import { newQuickJSWASMModule, newVariant, type QuickJSWASMModule, RELEASE_SYNC } from "quickjs-emscripten";

const PAGE_BYTES = 64 * 1024;
/** What the engine occupies before any script. */
const OWN_PAGES = 256;

interface EngineMemory {
  readonly buffer: ArrayBufferLike;
}

// Node's types do not name the WebAssembly global.
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: { Memory: new (pages: { initial: number; maximum: number }) => EngineMemory };
};

/** QuickJS with memory of its own that cannot grow further. */
export interface Engine {
  module: QuickJSWASMModule;
  /** What scripts may use of its memory. */
  memoryBytes: number;
  /** Bytes that the memory occupies now; it never shrinks. */
  size: () => number;
}

/**
 * Loads QuickJS into memory that holds `memoryBytes` for scripts and no more: its own limit does not count the
 * contents of typed arrays.
 */
export async function loadEngine(memoryBytes: number): Promise<Engine> {
  const memory = new WebAssembly.Memory({
    initial: OWN_PAGES,
    maximum: OWN_PAGES + Math.ceil(memoryBytes / PAGE_BYTES),
  });
  // `never`: the option's type is the missing one.
  const variant = { wasmMemory: memory as never };
  const module = await newQuickJSWASMModule(newVariant(RELEASE_SYNC, variant));
  return { module, memoryBytes, size: () => memory.buffer.byteLength };
}
