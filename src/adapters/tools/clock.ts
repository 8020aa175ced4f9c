/** The tool `time_in_zone`: what a clock on a wall there shows. */

import { z } from "zod";
import type { Tool } from "../../core/agent/tool.ts";
import type { Clock } from "../../core/ports/clock.ts";
import { toolOf } from "./define.ts";

/** Cities that people ask for and that no zone is named after. */
const CITIES: Readonly<Record<string, string>> = {
  amritsar: "Asia/Kolkata",
  atlanta: "America/New_York",
  austin: "America/Chicago",
  bangalore: "Asia/Kolkata",
  barcelona: "Europe/Madrid",
  beijing: "Asia/Shanghai",
  bengaluru: "Asia/Kolkata",
  boston: "America/New_York",
  "cape town": "Africa/Johannesburg",
  chennai: "Asia/Kolkata",
  cologne: "Europe/Berlin",
  dallas: "America/Chicago",
  delhi: "Asia/Kolkata",
  edinburgh: "Europe/London",
  frankfurt: "Europe/Berlin",
  geneva: "Europe/Zurich",
  hamburg: "Europe/Berlin",
  hanoi: "Asia/Ho_Chi_Minh",
  houston: "America/Chicago",
  kyoto: "Asia/Tokyo",
  "las vegas": "America/Los_Angeles",
  manchester: "Europe/London",
  miami: "America/New_York",
  milan: "Europe/Rome",
  montreal: "America/Toronto",
  mumbai: "Asia/Kolkata",
  munich: "Europe/Berlin",
  "new delhi": "Asia/Kolkata",
  nyc: "America/New_York",
  osaka: "Asia/Tokyo",
  philadelphia: "America/New_York",
  "rio de janeiro": "America/Sao_Paulo",
  "saint petersburg": "Europe/Moscow",
  "san diego": "America/Los_Angeles",
  "san francisco": "America/Los_Angeles",
  seattle: "America/Los_Angeles",
  shenzhen: "Asia/Shanghai",
  "tel aviv": "Asia/Jerusalem",
  washington: "America/New_York",
  wellington: "Pacific/Auckland",
};

export interface TimeInZone {
  readonly zone: string;
  /** ISO 8601 with the zone's offset. */
  readonly local: string;
  readonly weekday: string;
}

export function createTimeTool(deps: { readonly clock: Clock }): Tool {
  return toolOf({
    name: "time_in_zone",
    description:
      "Tells the current date, weekday and time in a time zone. Use it whenever the answer depends on what time or day it is.",
    effect: "read",
    doing: (count) => (count === 1 ? "Looking at the clock" : `Looking at ${count} clocks`),
    isVolatile: true,
    arguments: z.object({
      zone: z
        .string()
        .min(1)
        .max(64)
        .describe('An IANA time zone such as "Asia/Tokyo" or "UTC", or the name of a well-known city.'),
    }),
    run: ({ zone }) => Promise.resolve(timeIn(zone, deps.clock.now())),
  });
}

/**
 * @param zone an IANA zone, an offset (`+05:30`) or a city, in any case.
 * @param at ms since 1970.
 * @throws RangeError, in words for the model, when there is no such place.
 */
export function timeIn(zone: string, at: number): TimeInZone {
  const { format, name } = clockFor(zone);
  const part = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const get = (type: Intl.DateTimeFormatPartTypes): string => part.get(type) ?? "";
  const offset = get("timeZoneName").replace("GMT", "") || "+00:00";
  return {
    zone: name,
    local: `${get("year")}-${get("month")}-${get("day")}T${get("hour")}:${get("minute")}:${get("second")}${offset}`,
    weekday: get("weekday"),
  };
}

interface WallClock {
  readonly format: Intl.DateTimeFormat;
  readonly name: string;
}

/** By what was asked for: a format takes a hundred times longer to build than to use. */
const clocks = new Map<string, WallClock>();
/** More than there are zones and cities; whoever writes them in ever new ways costs a little time and no memory. */
const MOST_CLOCKS = 1_000;

function clockFor(given: string): WallClock {
  const known = clocks.get(given);
  if (known !== undefined) return known;
  const asked = zoneFor(given);
  const format = formatFor(asked, given);
  const clock = { format, name: named(asked, format.resolvedOptions().timeZone) };
  if (clocks.size >= MOST_CLOCKS) clocks.clear();
  clocks.set(given, clock);
  return clock;
}

function zoneFor(given: string): string {
  const city = given
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, " ");
  return CITIES[city] ?? zonesByCity().get(city) ?? given.trim();
}

function formatFor(timeZone: string, given: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone,
      weekday: "long",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
      timeZoneName: "longOffset",
    });
  } catch {
    throw new RangeError(
      `There is no time zone or known city ${JSON.stringify(given)}. Give an IANA zone such as "Europe/Berlin".`,
    );
  }
}

/** As it was asked for: the runtime knows some zones by names that nobody uses any more (`Asia/Calcutta`). */
function named(asked: string, resolved: string): string {
  return asked.toLowerCase() === resolved.toLowerCase() ? resolved : asked;
}

let zones: ReadonlyMap<string, string> | undefined;

/** Most zones are named after a city: `America/Argentina/Buenos_Aires`. */
function zonesByCity(): ReadonlyMap<string, string> {
  zones ??= new Map(
    Intl.supportedValuesOf("timeZone").map((zone) => [
      (zone.split("/").at(-1) ?? zone).toLowerCase().replaceAll("_", " "),
      zone,
    ]),
  );
  return zones;
}
