// Several platforms as the one place of a chaos run: each begins its share of the threads, and has its share of what goes wrong.
import type { ChaosPlace, Thread } from "./place.ts";
import type { Random } from "./random.ts";

/** @param places by the first word of their sessions' ids. */
export function createPlaces(places: Readonly<Record<string, ChaosPlace>>, random: Random): ChaosPlace {
  const all = Object.values(places);
  const placeOf = ({ session }: Thread): ChaosPlace => {
    const place = places[session.split(":")[0] ?? ""];
    if (place === undefined) throw new Error(`nowhere: ${session}`);
    return place;
  };
  return {
    begin: (words) => random.pick(all).begin(words),
    say: (thread, words) => placeOf(thread).say(thread, words),
    edit: (thread, message, words) => placeOf(thread).edit(thread, message, words),
    remove: (thread, message) => placeOf(thread).remove(thread, message),
    command: (thread, name, how) => placeOf(thread).command(thread, name, how),
    goal: (thread, order) => placeOf(thread).goal(thread, order),
    beginGoal: (objective) => random.pick(all).beginGoal(objective),
    breakCall: (kind, own) => own.pick(all).breakCall(kind, own),
    breakDelivery: (kind, own) => own.pick(all).breakDelivery(kind, own),
    calmDown: () => all.forEach((place) => place.calmDown()),
    isDelivered: () => all.every((place) => place.isDelivered()),
    owed: () => all.flatMap((place) => place.owed()),
    shown: () => all.flatMap((place) => place.shown()),
    strays: () => all.flatMap((place) => place.strays()),
    complaints: () => all.flatMap((place) => place.complaints()),
  };
}
