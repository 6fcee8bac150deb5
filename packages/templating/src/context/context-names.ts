/** The variables that the context builders give. They are known everywhere, also to a prompt that declares its inputs. */
export const CONTEXT_NAMES: ReadonlySet<string> = new Set([
  "day",
  "day_YYYYMMDD",
  "now",
  "segment",
  "segment_start",
  "segment_end",
  "facet",
  "activity_md_dir",
  "activity_id",
  "activity_type",
  "activity_description",
  "activity_level",
  "activity_entities",
  "activity_segments",
  "activity_duration",
]);
