/** Where `g` and one more key lead (C-21), by the rules that guard the places. */
import { type Caller, may } from '#domain/access.ts'
import { type Place, places } from '#app/routes/paths.ts'

const byKey = { h: 'home', c: 'contracts', u: 'users', w: 'outbox' } as const satisfies Record<string, Place>
type Key = keyof typeof byKey

/** Those that this caller may go to; null: a visitor has none. */
export const placeKeys = (caller: Caller | null): { key: Key; place: (typeof byKey)[Key] }[] =>
  (Object.keys(byKey) as Key[])
    .map((key) => ({ key, place: byKey[key] }))
    .filter(({ place }) => may(places[place].who, caller))
