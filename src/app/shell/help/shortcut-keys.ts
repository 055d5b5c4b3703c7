/** Defines the keys that open a page after `g` (C-21). The access rules are those of the routes. */
import { type Caller, isAllowed } from '#domain/access.ts'
import { type RouteName, routes } from '#app/routes/paths.ts'

const routeNameByKey = { h: 'home', c: 'contracts', u: 'users', w: 'outbox' } as const satisfies Record<
  string,
  RouteName
>
type ShortcutKey = keyof typeof routeNameByKey

/** Returns the shortcuts of pages that this caller may open. A visitor (null) has none. */
export const getShortcutKeys = (
  caller: Caller | null,
): { key: ShortcutKey; routeName: (typeof routeNameByKey)[ShortcutKey] }[] =>
  (Object.keys(routeNameByKey) as ShortcutKey[])
    .map((key) => ({ key, routeName: routeNameByKey[key] }))
    .filter(({ routeName }) => isAllowed(routes[routeName].access, caller))
