/** What the navigation offers, by the same rules that guard the places (M12): nothing is shown that would be refused, or does not stand yet. */
import { type Caller, isAllowed } from '#domain/access.ts'
import { type RouteName, routes, builtRoutes } from '#app/routes/paths.ts'
import type { IconName } from '#ui/icons/Icon.tsx'

interface NavigationItem {
  routeName: RouteName
  icon: IconName
}

/** Marked for provider staff: each of its items carries the tooltip that says so. */
export const navigationMenu = {
  own: [
    { routeName: 'home', icon: 'home' },
    { routeName: 'contracts', icon: 'contract' },
    { routeName: 'users', icon: 'users' },
    { routeName: 'company', icon: 'company' },
    { routeName: 'trail', icon: 'trail' },
  ],
  provider: [
    { routeName: 'services', icon: 'service' },
    { routeName: 'appHistory', icon: 'history' },
    { routeName: 'upload', icon: 'upload' },
    { routeName: 'modules', icon: 'module' },
    { routeName: 'hiddenModules', icon: 'hidden' },
    { routeName: 'prices', icon: 'price' },
  ],
} as const satisfies Record<string, readonly NavigationItem[]>

export type NavigationGroup = keyof typeof navigationMenu
export type NavigationEntry = (typeof navigationMenu)[NavigationGroup][number]
export const navigationGroups = Object.keys(navigationMenu) as NavigationGroup[]

export const getNavigationItems = (group: NavigationGroup, caller: Caller): NavigationEntry[] =>
  navigationMenu[group].filter(
    ({ routeName }) => builtRoutes.has(routeName) && isAllowed(routes[routeName].access, caller),
  )
