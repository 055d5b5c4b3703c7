/** Where `g` and one more key lead (C-21), by the rules that guard the places. */
import { type Caller, isAllowed } from '#domain/access.ts'
import { type RouteName, routes } from '#app/routes/paths.ts'

const routeNameByKey = { h: 'home', c: 'contracts', u: 'users', w: 'outbox' } as const satisfies Record<
  string,
  RouteName
>
type ShortcutKey = keyof typeof routeNameByKey

/** Those that this caller may go to; null: a visitor has none. */
export const getShortcutKeys = (
  caller: Caller | null,
): { key: ShortcutKey; routeName: (typeof routeNameByKey)[ShortcutKey] }[] =>
  (Object.keys(routeNameByKey) as ShortcutKey[])
    .map((key) => ({ key, routeName: routeNameByKey[key] }))
    .filter(({ routeName }) => isAllowed(routes[routeName].access, caller))
