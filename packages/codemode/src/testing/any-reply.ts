import fc from "fast-check";

const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("\n", "\n", "\r\n", " ", "\t") },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      "<codemode>",
      "</codemode>",
      "\n<codemode>\n",
      "\n</codemode>\n",
      '<codemode status="n >= 2">',
      "<codemode status='a",
      "<codemode ",
      "</codemode",
      "</code",
      "<",
      ">",
      '"',
    ),
  },
  { weight: 8, arbitrary: fc.constantFrom("return 1", "const a = `", "```ts", "```", "async (host) => {") },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 5 }) },
);

const anyPieces = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(""));

const aroundScript = fc
  .tuple(anyPieces, fc.constantFrom("<codemode>", '<codemode status="n >= 2">'), anyPieces, anyPieces)
  .map(([before, opener, code, after]) => `${before}\n${opener}\n${code} x\n</codemode>\n${after}`);

/** Texts in which tags, parts of tags, line ends and prose meet in every way. */
export const anyReply: fc.Arbitrary<string> = fc.oneof(anyPieces, aroundScript);
