import type { ReadBody } from "@promptfold/renderer";
import { isGemini3, type Provider, providerOf } from "./provider-of.ts";

/** What media are, as far as their tokens go; `text` is a text file that is sent as data. */
export type MediaKind = "image" | "audio" | "video" | "pdf" | "text" | "file";

/** What a body tells of an image, a clip or a file. */
export interface MediaSize {
  readonly kind: MediaKind;
  /** Undefined where the body has an address or an identifier alone. */
  readonly bytes: number | undefined;
  /** Whether the body asks for little detail. */
  readonly isLow: boolean;
}

/** Which models count media alike. */
export type MediaModel = Provider | "gemini3";

interface Rates {
  readonly image: number;
  readonly lowImage: number;
  readonly audioSecond: number;
  readonly videoSecond: number;
  readonly page: number;
}

/** For one image of about a megapixel, a second of sound or film, and a page of a PDF. */
const rates: Readonly<Record<MediaModel, Rates>> = {
  openai: { image: 765, lowImage: 85, audioSecond: 10, videoSecond: 300, page: 1000 },
  anthropic: { image: 1600, lowImage: 1600, audioSecond: 32, videoSecond: 300, page: 2250 },
  gemini: { image: 258, lowImage: 258, audioSecond: 32, videoSecond: 300, page: 258 },
  gemini3: { image: 1120, lowImage: 280, audioSecond: 32, videoSecond: 100, page: 560 },
};

/** How much data a second or a page is taken to have, in bytes; and how long what gives no size is taken to be. */
const AUDIO_SECOND = 16_000;
const VIDEO_SECOND = 125_000;
const PAGE = 50_000;
const UNKNOWN_SECONDS = 60;
const UNKNOWN_PAGES = 4;
const UNKNOWN_FILE = 1000;

/**
 * About how many tokens an image, a clip or a file is: a flat number by model for an image, by the size of the data
 * for sound, film and pages. The data is not decoded, so this is an order of magnitude and no count.
 */
export function estimateTokens({ kind, bytes, isLow }: MediaSize, model: MediaModel): number {
  const rate = rates[model];
  const times = (unit: number, unknown: number): number =>
    bytes === undefined ? unknown : Math.max(1, Math.ceil(bytes / unit));
  switch (kind) {
    case "image":
      return isLow ? rate.lowImage : rate.image;
    case "audio":
      return times(AUDIO_SECOND, UNKNOWN_SECONDS) * rate.audioSecond;
    case "video":
      return times(VIDEO_SECOND, UNKNOWN_SECONDS) * rate.videoSecond;
    case "pdf":
      return times(PAGE, UNKNOWN_PAGES) * rate.page;
    case "text":
      return times(4, UNKNOWN_FILE);
    case "file":
      return UNKNOWN_FILE;
  }
}

/** By which rates a body's media are counted. */
export function mediaModel(body: ReadBody): MediaModel {
  const provider = providerOf(body);
  return provider === "gemini" && isGemini3(body) ? "gemini3" : provider;
}
