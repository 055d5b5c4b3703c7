import { signedInRouteNames, type RouteName, findRouteName } from '#app/routes/paths.ts'
import { type Caller, isDeleteLevel } from '#domain/access.ts'

/** Pages that the selection changes. A saved module or price list, and a copy of a list, have a type of their own. */
const clientTypeRoutes: ReadonlySet<RouteName> = new Set<RouteName>([
  'newContract',
  'modules',
  'newModule',
  'hiddenModules',
  'newHiddenModule',
  'prices',
  'newPrice',
])
const isCopy = (routeName: RouteName, search: string) =>
  routeName === 'newPrice' && new URLSearchParams(search).has('from')

/** Returns whether the caller selects the client type above this page (M3). */
export function hasClientTypeSelect(caller: Caller, { pathname, search }: { pathname: string; search: string }) {
  const routeName = isDeleteLevel(caller) ? findRouteName(signedInRouteNames, pathname) : undefined
  return routeName !== undefined && clientTypeRoutes.has(routeName) && !isCopy(routeName, search)
}
