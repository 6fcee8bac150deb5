import { type CacheAnchor, type CachePlan, planCacheMarks } from "./cache-marks.ts";
import type {
  BodyFrame,
  BodyLayout,
  CacheMark,
  MappedRequest,
  Mapping,
  MappingDefinition,
  MappingInput,
  ModelBlock,
} from "./mapping.ts";
import { PlacedRequest } from "./place-request.ts";

/** A mapping from what it is made of. */
export function defineMapping<Body>(definition: MappingDefinition<Body>): Mapping<Body> {
  return {
    id: definition.id,
    definition,
    map: (input) => mapRequest(definition, input),
  };
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

/** The mark on a block. A request has so few that looking through them costs less than an index of them would. */
export function markOn(marks: readonly CacheMark[], block: number): CacheMark | undefined {
  for (const mark of marks) if (mark.block === block) return mark;
  return undefined;
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
  start: number,
  marks: readonly CacheMark[],
): unknown[] {
  const entries: unknown[] = [];
  for (let index = start; index < blocks.length;) {
    const { role } = blocks[index] as ModelBlock;
    const parts: unknown[] = [];
    do parts.push(layout.part((blocks[index] as ModelBlock).text, markOn(marks, index)));
    while (++index < blocks.length && layout.merges && blocks[index]?.role === role);
    entries.push(layout.entry(role, parts));
  }
  return entries;
}
