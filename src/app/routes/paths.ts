/**
 * Every place of the portal and who may be there (portal 2, contracts 2, M11). The router, the menu and their tests read
 * this one table; paths are inside the base /saas.
 */
import type { Who } from '#domain/access.ts'

/** `anybody`: works without a session. Whoever may not enter a place behind the login is led to home. */
export const places = {
  entrance: { path: '/entrance', who: 'anybody' },
  login: { path: '/login', who: 'anybody' },
  logout: { path: '/logout', who: 'anybody' },
  signup: { path: '/signup', who: 'anybody' },
  forget: { path: '/forget', who: 'anybody' },
  resetPwd: { path: '/resetPwd', who: 'anybody' },
  activate: { path: '/sys/activate', who: 'anybody' },

  home: { path: '/app/home', who: 'user' },
  services: { path: '/app/service', who: 'providerAdmin' },
  service: { path: '/app/service/:id', who: 'providerAdmin' },
  serviceLog: { path: '/app/service/:id/log', who: 'providerAdmin' },
  company: { path: '/app/profile/company', who: 'admin' },
  profile: { path: '/app/profile/user', who: 'user' },
  password: { path: '/app/profile/password', who: 'user' },
  security: { path: '/app/profile/security', who: 'user' },
  sessions: { path: '/app/profile/sessions', who: 'user' },
  users: { path: '/app/user', who: 'admin' },
  contracts: { path: '/app/contract', who: 'order' },
  newContract: { path: '/app/contract/new', who: 'order' },
  contract: { path: '/app/contract/:id', who: 'order' },
  contractLog: { path: '/app/contract/:id/log', who: 'order' },
  trail: { path: '/app/systrail', who: 'trail' },
  appHistory: { path: '/app/apphistory', who: 'providerAdmin' },
  upload: { path: '/app/m18/upload', who: 'providerAdmin' },
  modules: { path: '/app/m18/module', who: 'providerAdmin' },
  newModule: { path: '/app/m18/module/new', who: 'providerAdmin' },
  module: { path: '/app/m18/module/:id', who: 'providerAdmin' },
  hiddenModules: { path: '/app/m18/automodule', who: 'providerAdmin' },
  newHiddenModule: { path: '/app/m18/automodule/new', who: 'providerAdmin' },
  hiddenModule: { path: '/app/m18/automodule/:id', who: 'providerAdmin' },
  prices: { path: '/app/m18/price', who: 'providerAdmin' },
  newPrice: { path: '/app/m18/price/new', who: 'providerAdmin' },
  price: { path: '/app/m18/price/:id', who: 'providerAdmin' },
  outbox: { path: '/app/outbox', who: 'user' },
  device: { path: '/app/device', who: 'user' },
  activity: { path: '/app/activity', who: 'user' },
} as const satisfies Record<string, { path: string; who: Who }>

export type Place = keyof typeof places

export const placeNames = Object.keys(places) as Place[]

/** Open to anybody, in the visitors' frame. */
export type OutsidePlace = { [P in Place]: (typeof places)[P]['who'] extends 'anybody' ? P : never }[Place]
/** Under /app, in the shell. */
export type InsidePlace = Exclude<Place, OutsidePlace>

const isOutside = (place: Place): place is OutsidePlace => places[place].who === 'anybody'
export const outsidePlaces = placeNames.filter(isOutside)
export const insidePlaces = placeNames.filter((place): place is InsidePlace => !isOutside(place))

/** Whether a path inside the base leads into the signed-in frame. */
export const isInside = (path: string) => path === '/' || path === '/app' || path.startsWith('/app/')

/** Which of these places a path inside the base means; parameters as the router reads them. */
export const placeAt = <P extends Place>(among: readonly P[], path: string): P | undefined =>
  among.find((place) => new RegExp(`^${places[place].path.replace(/:\w+/g, '[^/]+')}/?$`).test(path))

/** The pages that stand. Menu and home offer no other: a page that is built gets its line here. */
export const standing = new Set<Place>([
  'home',
  'services',
  'service',
  'serviceLog',
  'contracts',
  'newContract',
  'users',
  'company',
  'profile',
  'password',
  'modules',
  'newModule',
  'module',
  'hiddenModules',
  'newHiddenModule',
  'hiddenModule',
  'appHistory',
  'upload',
  'prices',
  'newPrice',
  'price',
  'trail',
])

/** `path` may have a query. */
export const stands = (path: string): boolean => {
  const place = placeAt(placeNames, path.split('?')[0] ?? '')
  return place !== undefined && standing.has(place)
}
