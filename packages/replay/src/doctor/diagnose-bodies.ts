import { BodyDoctor } from "./body-doctor.ts";
import type { DiagnoseOptions, Diagnosis } from "./diagnosis.ts";

/**
 * Diagnoses raw provider bodies in the order in which an agent sent them, from any system: each place where a body
 * does not begin with the one before it, why that is likely, and what it cost. A body is an object, its JSON text, or
 * a log's object around it. Bodies of several conversations may be mixed: each is compared with the one that it
 * continues, and opens a conversation where it continues none. What cannot be read is listed and passed over.
 */
export function diagnoseBodies(bodies: Iterable<unknown>, options: DiagnoseOptions = {}): Diagnosis {
  const doctor = new BodyDoctor(options);
  for (const body of bodies) doctor.add(body);
  return doctor.diagnosis;
}
