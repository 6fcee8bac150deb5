import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareBodies, readBody } from "@promptfold/renderer";
import { BodyContent } from "../bodies/body-content.ts";
import { type AgentRequest, agents, type AgentStep } from "../testing/agent-bodies.ts";
import { breakCause } from "./break-cause.ts";
import type { BreakCause } from "./explained-cause.ts";

/** A conversation with times in what the user says, tools, and much that occurs more than once. */
interface Plan {
  /** How many calls each round has between the user's words and the answer. */
  readonly rounds: readonly number[];
  readonly idShape: number;
  /** Whether all calls are for the same, with the same result. */
  readonly isAlike: boolean;
  readonly isStamped: boolean;
  /** Said before each call. */
  readonly said: string;
  /** Whether the request before was sent after a tool's result, and not after the user's words. */
  readonly endsInResult: boolean;
  /** Which one of several places has the fault. */
  readonly pick: number;
}

const plans: fc.Arbitrary<Plan> = fc.record({
  rounds: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 4, maxLength: 8 }),
  idShape: fc.nat({ max: 4 }),
  isAlike: fc.boolean(),
  isStamped: fc.boolean(),
  said: fc.constantFrom("", "Let me look."),
  endsInResult: fc.boolean(),
  pick: fc.nat({ max: 1000 }),
});

/** Letters for a number, so that a text has no digit besides those that are meant. */
const letters = (number: number): string =>
  String(number).replace(/\d/g, (digit) => "abcdefghij".charAt(Number(digit)));

const idShapes: readonly ((number: number) => string)[] = [
  (number) => `call_${digest(number, 24)}`,
  (number) => `toolu_01${digest(number, 22)}`,
  (number) => `call_${digest(number, 8)}`,
  (number) => digest(number, 9),
  (number) => `call_${number}`,
];

function digest(number: number, length: number): string {
  let [text, state] = ["", (number + 1) * 7919];
  while (text.length < length) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    text += (state >>> 8).toString(36);
  }
  return text.slice(0, length);
}

const stamp = (minute: number): string => `[2026-10-14 ${10 + (minute >> 4)}:${10 + (minute & 15)}] `;

interface Made {
  /** Each round's steps, and those of the last one that the request before had. */
  readonly rounds: readonly (readonly AgentStep[])[];
  readonly sent: readonly AgentStep[];
  readonly next: AgentStep;
}

function make({ rounds, idShape, isAlike, isStamped, said, endsInResult }: Plan, shift = 0): Made {
  let calls = 0;
  const user = (index: number): AgentStep => ({
    kind: "user",
    text: `${isStamped ? stamp(index * 2 + shift) : ""}question ${letters(index)}`,
  });
  const made = rounds.map((count, index): AgentStep[] => [
    user(index),
    ...Array.from({ length: index === 0 || endsInResult ? count + 1 : count }, (): AgentStep => {
      const call = calls++;
      const what = isAlike ? "" : ` ${letters(call)}`;
      return {
        kind: "call",
        id: idShapes[idShape]?.(call) ?? "",
        text: said,
        input: { command: `git status${what}`, folder: "src" },
        result: `clean${what}`,
      };
    }),
    { kind: "answer", text: `answer ${letters(index)}` },
  ]);
  const last = made.at(-1) ?? [];
  return {
    rounds: made,
    sent: endsInResult ? last.slice(0, -1) : last.slice(0, 1),
    next: user(rounds.length),
  };
}

type Pair = readonly [before: AgentRequest, after: AgentRequest];

const system = "You are an agent. Be brief.";
const told = (text: string): AgentStep => ({ kind: "user", text });

function pair(before: readonly AgentStep[], after: readonly AgentStep[]): Pair {
  return [
    { system, steps: before },
    { system, steps: after },
  ];
}

const before = ({ rounds, sent }: Made): AgentStep[] => [...rounds.slice(0, -1).flat(), ...sent];
const after = ({ rounds, next }: Made): AgentStep[] => [...rounds.flat(), next];

/** The same with some of the request that follows changed. */
function changed(plan: Plan, change: (steps: AgentStep[], made: Made) => AgentStep[]): Pair {
  const made = make(plan);
  return pair(before(made), change(after(made), made));
}

const changeCalls = (
  steps: readonly AgentStep[],
  change: (call: AgentStep & { kind: "call" }, index: number) => AgentStep,
): AgentStep[] => {
  let index = 0;
  return steps.map((step) => (step.kind === "call" ? change(step, index++) : step));
};

/** How many of the oldest rounds a fault takes away: never so many that what is left is another conversation. */
const oldest = ({ rounds }: Plan): number => Math.max(1, Math.floor(rounds.length / 4));

const faults: Readonly<Record<string, readonly [BreakCause, (plan: Plan) => Pair]>> = {
  "a clock in the system text": [
    "clock",
    (plan) => {
      const [one, two] = changed(plan, (steps) => steps);
      const now = (minute: number): string => `You are an agent. It is 10:${10 + minute}. Be brief.`;
      return [
        { ...one, system: now(0) },
        { ...two, system: now((plan.pick % 40) + 1) },
      ];
    },
  ],
  "an identifier in the system text": [
    "varying-id",
    (plan) => {
      const [one, two] = changed(plan, (steps) => steps);
      const trace = (number: number): string => `You are an agent. Trace ${digest(number, 24)}. Be brief.`;
      return [
        { ...one, system: trace(0) },
        { ...two, system: trace(plan.pick + 1) },
      ];
    },
  ],
  "times that are written anew": [
    "clock",
    (plan) => {
      const stamped = { ...plan, isStamped: true };
      return pair(before(make(stamped)), after(make(stamped, (plan.pick % 3) + 1)));
    },
  ],
  "calls' identifiers that are made anew": [
    "varying-id",
    (plan) =>
      changed(plan, (steps) =>
        changeCalls(steps, (call, index) => ({
          ...call,
          id: idShapes[plan.idShape]?.(1000 + plan.pick + index) ?? "",
        })),
      ),
  ],
  "the oldest rounds gone": [
    "history-trimmed",
    (plan) => changed(plan, (steps, { rounds }) => steps.slice(rounds.slice(0, oldest(plan)).flat().length)),
  ],
  "the oldest steps gone": [
    "history-trimmed",
    (plan) =>
      changed(plan, (steps, { rounds }) => {
        const calls = (rounds[0]?.length ?? 0) - 2;
        return steps.toSpliced(1, (plan.pick % calls) + 1);
      }),
  ],
  "the oldest round gone and a reminder at the end": [
    "history-trimmed",
    (plan) => {
      const [one, two] = changed(plan, (steps, { rounds }) => steps.slice(rounds[0]?.length));
      return pair([...one.steps, told("Be brief!")], [...two.steps, told("Be brief!")]);
    },
  ],
  "the calls of older rounds gone": [
    "history-trimmed",
    (plan) =>
      changed(plan, (steps, { rounds }) => {
        const { length } = rounds.slice(0, 3).flat();
        return steps.filter(({ kind }, index) => kind !== "call" || index >= length);
      }),
  ],
  "messages put in at several places": [
    "message-inserted",
    (plan) =>
      changed(plan, (steps) =>
        steps.flatMap((step) => (step.kind === "user" ? [told("Memory: likes tea."), step] : [step])),
      ),
  ],
  "a message put in": [
    "message-inserted",
    (plan) =>
      changed(plan, (steps, { rounds }) => {
        const at = rounds.slice(0, plan.pick % rounds.length).flat().length;
        const noted: AgentStep[] = plan.pick % 3 === 0 ? [{ kind: "answer", text: "Noted." }] : [];
        return steps.toSpliced(at, 0, told("Memory: likes tea."), ...noted);
      }),
  ],
  "a summary": [
    "history-summarised",
    (plan) =>
      changed(plan, (steps, { rounds }) => {
        const { length } = rounds.slice(0, oldest(plan)).flat();
        return steps.toSpliced(0, length, told(`${plan.isStamped ? stamp(40) : ""}Summary: they talked.`));
      }),
  ],
  "a result that was cleared": [
    "history-rewritten",
    (plan) =>
      changed(plan, (steps, made) => {
        const count = before(made).filter(({ kind }) => kind === "call").length;
        return changeCalls(steps, (call, index) =>
          index === plan.pick % count ? { ...call, result: "[cleared]" } : call,
        );
      }),
  ],
  "another call": [
    "history-rewritten",
    (plan) =>
      changed(plan, (steps, made) => {
        const count = before(made).filter(({ kind }) => kind === "call").length;
        return changeCalls(steps, (call, index) =>
          index === plan.pick % count
            ? { ...call, id: idShapes[plan.idShape]?.(1000) ?? "", input: { command: "ls" } }
            : call,
        );
      }),
  ],
  "a user's words that were edited": [
    "history-rewritten",
    (plan) =>
      changed(plan, (steps, { rounds }) => {
        const at = rounds.slice(0, plan.pick % (rounds.length - 1)).flat().length;
        return steps.map((step, index) => (index === at ? { ...step, text: `${step.text} please` } : step));
      }),
  ],
  "inputs with their keys in another order": [
    "json-reordered",
    (plan) =>
      changed(plan, (steps) =>
        changeCalls(steps, (call) => ({
          ...call,
          input: Object.fromEntries(Object.entries(call.input).reverse()),
        })),
      ),
  ],
  "the same reminder at the end": [
    "tail-replaced",
    (plan) => {
      const [one, two] = changed(plan, (steps) => steps);
      return pair([...one.steps, told("Be brief!")], [...two.steps, told("Be brief!")]);
    },
  ],
  "another reminder at the end": [
    "tail-replaced",
    (plan) => {
      const [one, two] = changed(plan, (steps) => steps);
      return pair([...one.steps, told(`${stamp(3)}Two left.`)], [...two.steps, told(`${stamp(5)}One left.`)]);
    },
  ],
  "two reminders at the end": [
    "tail-replaced",
    (plan) => {
      const [one, two] = changed(plan, (steps) => steps);
      const both = [told("Be brief!"), told("Be kind!")];
      return pair([...one.steps, ...both], [...two.steps, ...both]);
    },
  ],
  "a message before the newest one": [
    "tail-replaced",
    (plan) => {
      const [one, two] = changed({ ...plan, endsInResult: false }, (steps) => steps);
      const found = (which: number): AgentStep => told(`Found: ${letters(which * (plan.pick % 2))}`);
      return pair(one.steps.toSpliced(-1, 0, found(1)), two.steps.toSpliced(-1, 0, found(2)));
    },
  ],
};

function causeOf(one: object, two: object): BreakCause | undefined {
  const [old, now] = [new BodyContent(readBody(one), 0), new BodyContent(readBody(two), 1)];
  return breakCause(old, now, compareBodies(old.body, now.body))?.cause;
}

const apis = fc.constantFrom(...Object.values(agents));

describe("a fault in an agent's requests, whatever API it speaks", () => {
  it.each(Object.entries(faults))("is named, being %s", (_name, [cause, inject]) => {
    fc.assert(
      fc.property(apis, plans, (body, plan) => {
        const [one, two] = inject(plan);
        expect(causeOf(body(one), body(two))).toBe(cause);
      }),
      { numRuns: 1000 },
    );
  });

  it("is none where all of a request was sent again", () => {
    fc.assert(
      fc.property(apis, plans, (body, plan) => {
        const [one, two] = changed(plan, (steps) => steps);
        expect(causeOf(body(one), body(two))).toBeUndefined();
      }),
      { numRuns: 1000 },
    );
  });
});
