import { readSegment } from "./segment-context.ts";

/** What is known of an activity. */
export interface Activity {
  readonly id: string;
  readonly type: string;
  readonly description: string;
  /** Such as `high`, or a number. */
  readonly level: string | number;
  /** Who and what was involved. */
  readonly entities: readonly string[];
  /** Segments it spans, as `143022_300`. */
  readonly segments: readonly string[];
  /** The folder that holds what belongs to it. */
  readonly directory: string;
  /** Minutes; the sum of the segments when not given. */
  readonly durationMinutes?: number | undefined;
}

/** Variables of an activity. */
export interface ActivityContext {
  readonly activity_id: string;
  readonly activity_type: string;
  readonly activity_description: string;
  readonly activity_level: string | number;
  /** Comma-separated. */
  readonly activity_entities: string;
  /** Comma-separated. */
  readonly activity_segments: string;
  /** Whole minutes. */
  readonly activity_duration: number;
  /** With a trailing slash. */
  readonly activity_md_dir: string;
}

/**
 * The context of an activity.
 *
 * @throws InvalidVariableError when a segment is none
 */
export function activityContext(activity: Activity): ActivityContext {
  const { id, type, description, level, entities, segments, directory, durationMinutes } = activity;
  const seconds = segments.reduce((sum, segment) => sum + readSegment(segment).seconds, 0);
  return {
    activity_id: id,
    activity_type: type,
    activity_description: description,
    activity_level: level,
    activity_entities: entities.join(", "),
    activity_segments: segments.join(", "),
    activity_duration: Math.round(durationMinutes ?? seconds / 60),
    activity_md_dir: directory.endsWith("/") ? directory : `${directory}/`,
  };
}

/** The context of a facet, a part of somebody's life that records are filed under. */
export function facetContext(facet: string): { readonly facet: string } {
  return { facet };
}
