/** The oldest Node that is supported, as `[major, minor]`. */
const oldest = /** @type {const} */ ([20, 19]);

/**
 * Says what to do when Node is too old to run anything here.
 *
 * @param {string} version such as `v20.19.0`
 * @returns {string | undefined} the explanation, or nothing when the version will do
 */
export function explainOldNode(version) {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return undefined;
  return `Promptfold needs Node ${oldest.join(".")} or newer; this is ${version}. Install a newer Node from https://nodejs.org and run the command again.`;
}
