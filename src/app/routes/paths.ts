/** Defines the routes and their access rules (portal 2, contracts 2, M11), for router, menu and tests. Paths are relative to /saas. */
import type { AccessRule } from '#domain/access.ts'
import type { IconName } from '#ui/icons/Icon.tsx'

/** `menu`: the navigation group that shows the page, in the order of this table. */
interface Route {
  path: string
  access: AccessRule
  menu?: { group: 'own' | 'provider'; icon: IconName }
}

const own = (icon: IconName) => ({ group: 'own', icon }) as const
/** For provider staff only. Each item has a tooltip that explains this. */
const provider = (icon: IconName) => ({ group: 'provider', icon }) as const

/** `anybody`: no session is needed. A user who may not open a page behind the login is redirected to the home page. */
export const routes = {
  entrance: { path: '/entrance', access: 'anybody' },
  login: { path: '/login', access: 'anybody' },
  logout: { path: '/logout', access: 'anybody' },
  signup: { path: '/signup', access: 'anybody' },
  forget: { path: '/forget', access: 'anybody' },
  resetPwd: { path: '/resetPwd', access: 'anybody' },
  activate: { path: '/sys/activate', access: 'anybody' },

  home: { path: '/app/home', access: 'user', menu: own('home') },
  contracts: { path: '/app/contract', access: 'order', menu: own('contract') },
  newContract: { path: '/app/contract/new', access: 'order' },
  contract: { path: '/app/contract/:id', access: 'order' },
  contractLog: { path: '/app/contract/:id/log', access: 'order' },
  invoices: { path: '/app/invoice', access: 'order', menu: own('invoice') },
  users: { path: '/app/user', access: 'admin', menu: own('users') },
  company: { path: '/app/profile/company', access: 'admin', menu: own('company') },
  trail: { path: '/app/systrail', access: 'trail', menu: own('trail') },
  profile: { path: '/app/profile/user', access: 'user' },
  password: { path: '/app/profile/password', access: 'user' },
  security: { path: '/app/profile/security', access: 'user' },
  sessions: { path: '/app/profile/sessions', access: 'user' },
  notifications: { path: '/app/profile/notifications', access: 'user' },
  customers: { path: '/app/m18/customer', access: 'providerOrder', menu: provider('customers') },
  customer: { path: '/app/m18/customer/:id', access: 'providerOrder' },
  customerTab: { path: '/app/m18/customer/:id/:tab', access: 'providerOrder' },
  money: { path: '/app/money', access: 'orderingProviderAdmin', menu: provider('money') },
  services: { path: '/app/service', access: 'providerAdmin', menu: provider('service') },
  service: { path: '/app/service/:id', access: 'providerAdmin' },
  serviceLog: { path: '/app/service/:id/log', access: 'providerAdmin' },
  appHistory: { path: '/app/apphistory', access: 'providerAdmin', menu: provider('history') },
  upload: { path: '/app/m18/upload', access: 'providerAdmin', menu: provider('upload') },
  modules: { path: '/app/m18/module', access: 'providerAdmin', menu: provider('module') },
  newModule: { path: '/app/m18/module/new', access: 'providerAdmin' },
  module: { path: '/app/m18/module/:id', access: 'providerAdmin' },
  hiddenModules: { path: '/app/m18/automodule', access: 'providerAdmin', menu: provider('hidden') },
  newHiddenModule: { path: '/app/m18/automodule/new', access: 'providerAdmin' },
  hiddenModule: { path: '/app/m18/automodule/:id', access: 'providerAdmin' },
  prices: { path: '/app/m18/price', access: 'providerAdmin', menu: provider('price') },
  newPrice: { path: '/app/m18/price/new', access: 'providerAdmin' },
  price: { path: '/app/m18/price/:id', access: 'providerAdmin' },
  outbox: { path: '/app/outbox', access: 'user' },
  device: { path: '/app/device', access: 'user' },
  activity: { path: '/app/activity', access: 'user' },
} as const satisfies Record<string, Route>

export type RouteName = keyof typeof routes

export const routeNames = Object.keys(routes) as RouteName[]

export type PublicRouteName = {
  [Name in RouteName]: (typeof routes)[Name]['access'] extends 'anybody' ? Name : never
}[RouteName]
export type SignedInRouteName = Exclude<RouteName, PublicRouteName>

const isPublicRoute = (routeName: RouteName): routeName is PublicRouteName => routes[routeName].access === 'anybody'
export const publicRouteNames = routeNames.filter(isPublicRoute)
export const signedInRouteNames = routeNames.filter(
  (routeName): routeName is SignedInRouteName => !isPublicRoute(routeName),
)

export const isSignedInPath = (path: string) => path === '/' || path === '/app' || path.startsWith('/app/')

/** Returns the matching route of a path relative to the base. Parameters match as in the router. */
export const findRouteName = <Name extends RouteName>(candidates: readonly Name[], path: string): Name | undefined =>
  candidates.find((routeName) => new RegExp(`^${routes[routeName].path.replace(/:\w+/g, '[^/]+')}/?$`).test(path))

export const isPagePath = (path: string): boolean => findRouteName(routeNames, path.split('?')[0] ?? '') !== undefined
