import { describe, expect, expectTypeOf, it } from "vitest";
import { PromptfoldError } from "./errors.ts";

class WeatherError extends PromptfoldError {
  static override readonly code: string = "weather";
  readonly place: string;

  constructor(place: string, kind?: "rain" | "snow") {
    super(`${place}: bad weather`, { code: kind && `weather-${kind}`, cause: place });
    this.place = place;
  }
}

class StormError extends WeatherError {
  static override readonly code: string = "storm";
}

class TrafficError extends PromptfoldError {
  static override readonly code: string = "traffic";
}

describe("typed errors", () => {
  it("have their class's name and code, or a code that says more", () => {
    expect(new WeatherError("Oslo")).toMatchObject({
      name: "WeatherError",
      code: "weather",
      message: "Oslo: bad weather",
      cause: "Oslo",
    });
    expect(new WeatherError("Oslo", "snow").code).toBe("weather-snow");
    expect(new TrafficError("jam")).not.toHaveProperty("cause");
  });

  it("are instances of their own class and of those that it extends, and of no other", () => {
    const [weather, storm, traffic] = [
      new WeatherError("Oslo", "rain"),
      new StormError("Oslo"),
      new TrafficError("jam"),
    ];
    const classes = [PromptfoldError, WeatherError, StormError, TrafficError];
    const known = (value: unknown): boolean[] => classes.map((each) => each.isInstance(value));
    expect(known(weather)).toEqual([true, true, false, false]);
    expect(known(storm)).toEqual([true, true, true, false]);
    expect(known(traffic)).toEqual([true, false, false, true]);
  });

  it.each([undefined, null, "weather", { code: "weather" }, new Error("weather"), () => "weather"])(
    "are not %j",
    (value) => {
      expect(PromptfoldError.isInstance(value)).toBe(false);
      expect(WeatherError.isInstance(value)).toBe(false);
    },
  );

  it("are recognised across copies of the package", async () => {
    const address: string = "./errors.ts?copy";
    const copy = (await import(address)) as { PromptfoldError: typeof PromptfoldError };
    class ForeignWeatherError extends copy.PromptfoldError {
      static override readonly code: string = "weather";
    }
    const foreign = new ForeignWeatherError("Oslo");
    expect(foreign).not.toBeInstanceOf(PromptfoldError);
    expect(PromptfoldError.isInstance(foreign)).toBe(true);
    expect(WeatherError.isInstance(foreign)).toBe(true);
    expect(StormError.isInstance(foreign)).toBe(false);
    expect(TrafficError.isInstance(foreign)).toBe(false);
  });

  it("are narrowed to their class", () => {
    const error: unknown = new StormError("Oslo");
    if (!WeatherError.isInstance(error)) expect.unreachable();
    expectTypeOf(error).toEqualTypeOf<WeatherError>();
    expect(error.place).toBe("Oslo");
  });
});
