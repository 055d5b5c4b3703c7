/** Items of the navigation, by the same rules that guard the pages (M12). Pages that would be refused are not shown. */
import { type Caller, isAllowed } from '#domain/access.ts'
import { routeNames, routes } from '#app/routes/paths.ts'

export const navigationGroups = ['own', 'provider'] as const
type NavigationGroup = (typeof navigationGroups)[number]

const navigationItems = routeNames.flatMap((routeName) => {
  const route = routes[routeName]
  return 'menu' in route ? [{ routeName: routeName as MenuRouteName, access: route.access, ...route.menu }] : []
})

type MenuRouteName = {
  [Name in keyof typeof routes]: (typeof routes)[Name] extends { menu: object } ? Name : never
}[keyof typeof routes]

export const getNavigationItems = (group: NavigationGroup, caller: Caller) =>
  navigationItems.filter((item) => item.group === group && isAllowed(item.access, caller))
