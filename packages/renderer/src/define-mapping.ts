import { type CacheAnchor, type CachePlan, markOn, planCacheMarks } from "./cache-marks.ts";
import type { CacheMark, MappedRequest, Mapping, MappingInput, ModelBlock } from "./mapping.ts";
import type { BodyFrame, BodyLayout, MappingDefinition } from "./mapping-definition.ts";
import { PlacedRequest } from "./place-request.ts";

/** What each mapping is made of. Nobody outside this package needs to know, and so it may change. */
const definitions = new WeakMap<Mapping, MappingDefinition>();

/** A mapping from what it is made of. */
export function defineMapping<Body>(definition: MappingDefinition<Body>): Mapping<Body> {
  const mapping: Mapping<Body> = { id: definition.id, map: (input) => mapRequest(definition, input) };
  definitions.set(mapping, definition);
  return mapping;
}

/** What a mapping is made of, for those who write its bodies piece by piece. */
export function definitionOf(mapping: Mapping): MappingDefinition {
  const definition = definitions.get(mapping);
  if (definition === undefined) throw new TypeError(`${mapping.id} was not made by defineMapping`);
  return definition;
}

function mapRequest<Body>(definition: MappingDefinition<Body>, input: MappingInput): MappedRequest<Body> {
  const { rules, layout } = definition;
  const placed = PlacedRequest.from(input, rules);
  const plan = planMarks(definition, input, placed.anchors);
  const apart = rules.standing === "apart" ? placed.standing : 0;
  const head = layout.head(frameOf(input, placed.blocks.slice(0, apart), plan.marks));
  return {
    body: layout.fill(head, layOut(layout, placed.blocks, apart, plan.marks)),
    blocks: placed.blocks,
    marks: plan.marks,
    explanation: [...definition.explain(input), ...plan.explanation],
  };
}

/** The cache marks of a request with these places, by what its API allows for its model. */
function planMarks(
  definition: MappingDefinition,
  { model, parameters }: Pick<MappingInput, "model" | "parameters">,
  anchors: readonly CacheAnchor[],
): CachePlan {
  const limits = definition.limits(model, parameters);
  return limits === undefined ? { marks: [], explanation: [] } : planCacheMarks(anchors, limits);
}

/** Everything about a body except its timeline, with `standing` as the blocks of a field of their own. */
export function frameOf(
  { model, parameters, cacheKey }: Omit<MappingInput, "messages">,
  standing: readonly ModelBlock[],
  marks: readonly CacheMark[],
): BodyFrame {
  return {
    model,
    parameters,
    cacheKey,
    standing: standing.map(({ text }, index) => ({ text, mark: markOn(marks, index) })),
  };
}

function layOut(
  layout: BodyLayout<unknown>,
  blocks: readonly ModelBlock[],
  first: number,
  marks: readonly CacheMark[],
): unknown[] {
  const entries: unknown[] = [];
  for (let start = first; start < blocks.length;) {
    const { role, text } = blocks[start] as ModelBlock;
    if (!layout.merges) {
      entries.push(layout.entry(role, text, markOn(marks, start++)));
      continue;
    }
    let end = start + 1;
    while (blocks[end]?.role === role) end++;
    // An array that is pushed to takes room for many more, and there are thousands: this one has its length.
    const parts: unknown[] = blocks.slice(start, end);
    for (let index = start; index < end; index++) {
      parts[index - start] = layout.part((blocks[index] as ModelBlock).text, markOn(marks, index));
    }
    entries.push(layout.entry(role, parts));
    start = end;
  }
  return entries;
}
