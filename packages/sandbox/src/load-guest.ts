import type { QuickJSContext, QuickJSHandle } from "quickjs-emscripten";
import type { GuestBridge, GuestLimits } from "./guest/bridge.ts";

/** The compiled files that QuickJS loads, by name. */
export type GuestSources = ReadonlyMap<string, string>;

/** The file that the others of `GuestSources` are reached from. */
const GUEST_ENTRY = "guest/start-guest.js";

/**
 * Loads and starts the guest, the code around every script, in a fresh context, and returns the object of its functions (`Guest`).
 * `shape` is the host's outline as JSON.
 */
export function loadGuest(
  context: QuickJSContext,
  sources: GuestSources,
  functions: GuestBridge,
  { shape, limits }: { shape: string; limits: GuestLimits },
): QuickJSHandle {
  context.runtime.setModuleLoader((name) => sources.get(name) ?? { error: new Error(`There is no ${name}`) });
  const exports = context.unwrapResult(
    context.evalCode(sources.get(GUEST_ENTRY) ?? "", GUEST_ENTRY, { type: "module" }),
  );
  // From here on the script can load nothing.
  context.runtime.removeModuleLoader();
  const { logCharacters, resultCharacters, argumentCharacters, pendingCalls } = limits;
  const limitsText = JSON.stringify({ logCharacters, resultCharacters, argumentCharacters, pendingCalls });
  const parameters = [
    createBridge(context, functions),
    context.newString(shape),
    context.newString(limitsText),
  ];
  const guest = context.unwrapResult(context.callMethod(exports, "startGuest", parameters));
  for (const parameter of parameters) parameter.dispose();
  exports.dispose();
  return guest;
}

/** Makes an object of functions that the guest calls with numbers and strings. */
function createBridge(context: QuickJSContext, functions: GuestBridge): QuickJSHandle {
  const bridge = context.newObject();
  for (const [name, call] of Object.entries(functions)) {
    context
      .newFunction(name, (...handles) => {
        const parameters = handles.map((handle) =>
          context.typeof(handle) === "number" ? context.getNumber(handle) : context.getString(handle),
        );
        // The guest keeps to the interface; what a script hands it, it hands on as text.
        (call as (...parameters: unknown[]) => void)(...parameters);
      })
      .consume((handle) => {
        context.setProp(bridge, name, handle);
      });
  }
  return bridge;
}
