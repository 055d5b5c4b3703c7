import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Caller } from '#domain/access.ts'
import { getAdmission } from '#app/routes/route-guard.tsx'
import { signedInRouteNames, publicRouteNames, routeNames, routes, isPagePath } from '#app/routes/paths.ts'
import { navigationGroups, getNavigationItems } from '#app/shell/navigation-items.ts'
import type { SessionState, SessionUser } from '#state/session-slice.ts'

const plainCaller: Caller = { userId: 1, companyId: 1, companyCode: 'acme', admin: false, order: false, accessLevel: 0 }

const callers: Record<string, Caller> = {
  user: plainCaller,
  orderer: { ...plainCaller, order: true },
  admin: { ...plainCaller, admin: true },
  'admin with the order flag': { ...plainCaller, admin: true, order: true },
  clerk: { ...plainCaller, companyCode: 'm18' },
  'provider admin': { ...plainCaller, companyCode: 'm18', admin: true },
  'delete level': { ...plainCaller, companyCode: 'm18', accessLevel: 100 },
  'staff with the order flag': { ...plainCaller, companyCode: 'm18', order: true },
  // The access level has no effect outside the provider's company (D48).
  'customer with a level': { ...plainCaller, accessLevel: 100 },
}

const commonRoutes = [
  'home',
  'profile',
  'password',
  'security',
  'sessions',
  'notifications',
  'outbox',
  'device',
  'activity',
]
const orderRoutes = ['contracts', 'newContract', 'contract', 'contractLog', 'invoices']
const adminRoutes = ['company', 'users', 'trail']
/** For staff with the order flag and for provider admins. */
const customerRoutes = ['customers', 'customer', 'customerTab']
const providerRoutes = [
  ...customerRoutes,
  'services',
  'service',
  'serviceLog',
  'appHistory',
  'upload',
  'modules',
  'newModule',
  'module',
  'hiddenModules',
  'newHiddenModule',
  'hiddenModule',
  'prices',
  'newPrice',
  'price',
]

const allowedRoutes: Record<keyof typeof callers, string[]> = {
  user: commonRoutes,
  orderer: [...commonRoutes, ...orderRoutes],
  admin: [...commonRoutes, ...adminRoutes],
  'admin with the order flag': [...commonRoutes, ...orderRoutes, ...adminRoutes],
  clerk: commonRoutes,
  'provider admin': [...commonRoutes, ...adminRoutes, ...providerRoutes],
  // Without the admin flag, the delete level has the provider's pages and the audit trail (D46, D51), but no users and no company (D47).
  'delete level': [...commonRoutes, 'trail', ...providerRoutes],
  'customer with a level': commonRoutes,
  'staff with the order flag': [...commonRoutes, ...orderRoutes, ...customerRoutes],
}

const offeredRoutes: Record<keyof typeof callers, string[]> = {
  user: ['home'],
  orderer: ['home', 'contracts', 'invoices'],
  admin: ['home', 'users', 'company', 'trail'],
  'admin with the order flag': ['home', 'contracts', 'invoices', 'users', 'company', 'trail'],
  clerk: ['home'],
  'provider admin': [
    'home',
    'users',
    'company',
    'trail',
    'customers',
    'services',
    'appHistory',
    'upload',
    'modules',
    'hiddenModules',
    'prices',
  ],
  'delete level': [
    'home',
    'trail',
    'customers',
    'services',
    'appHistory',
    'upload',
    'modules',
    'hiddenModules',
    'prices',
  ],
  'staff with the order flag': ['home', 'contracts', 'invoices', 'customers'],
  'customer with a level': ['home'],
}

const toSessionState = (caller: Caller): SessionState => ({ kind: 'signed in', user: {} as SessionUser, caller })

describe('the routes', () => {
  it('have these paths and this access (portal 2, contracts 2)', () => {
    expect(
      Object.fromEntries(routeNames.map((routeName) => [routes[routeName].path, routes[routeName].access])),
    ).toMatchInlineSnapshot(`
      {
        "/app/activity": "user",
        "/app/apphistory": "providerAdmin",
        "/app/contract": "order",
        "/app/contract/:id": "order",
        "/app/contract/:id/log": "order",
        "/app/contract/new": "order",
        "/app/device": "user",
        "/app/home": "user",
        "/app/invoice": "order",
        "/app/m18/automodule": "providerAdmin",
        "/app/m18/automodule/:id": "providerAdmin",
        "/app/m18/automodule/new": "providerAdmin",
        "/app/m18/customer": "providerOrder",
        "/app/m18/customer/:id": "providerOrder",
        "/app/m18/customer/:id/:tab": "providerOrder",
        "/app/m18/module": "providerAdmin",
        "/app/m18/module/:id": "providerAdmin",
        "/app/m18/module/new": "providerAdmin",
        "/app/m18/price": "providerAdmin",
        "/app/m18/price/:id": "providerAdmin",
        "/app/m18/price/new": "providerAdmin",
        "/app/m18/upload": "providerAdmin",
        "/app/money": "orderingProviderAdmin",
        "/app/outbox": "user",
        "/app/profile/company": "admin",
        "/app/profile/notifications": "user",
        "/app/profile/password": "user",
        "/app/profile/security": "user",
        "/app/profile/sessions": "user",
        "/app/profile/user": "user",
        "/app/service": "providerAdmin",
        "/app/service/:id": "providerAdmin",
        "/app/service/:id/log": "providerAdmin",
        "/app/systrail": "trail",
        "/app/user": "admin",
        "/entrance": "anybody",
        "/forget": "anybody",
        "/login": "anybody",
        "/logout": "anybody",
        "/resetPwd": "anybody",
        "/signup": "anybody",
        "/sys/activate": "anybody",
      }
    `)
  })

  it('are below /app exactly if they need a session', () => {
    expect(signedInRouteNames.filter((routeName) => !routes[routeName].path.startsWith('/app/'))).toEqual([])
    expect(publicRouteNames.filter((routeName) => routes[routeName].path.startsWith('/app'))).toEqual([])
  })

  it('have unique paths', () => {
    const paths = routeNames.map((routeName) => routes[routeName].path)
    expect(new Set(paths).size).toBe(paths.length)
  })
})

describe.each(Object.keys(callers))('navigation for a %s', (name) => {
  const caller = callers[name] as Caller

  it('admits the allowed pages and leads home from all others (M11)', () => {
    const enteredRoutes = signedInRouteNames.filter((routeName) => {
      const admission = getAdmission(toSessionState(caller), routes[routeName].access)
      if (admission.kind === 'led') expect(admission.to).toBe('home')
      return admission.kind === 'drawn'
    })
    expect(enteredRoutes.sort()).toEqual([...(allowedRoutes[name] ?? [])].sort())
  })

  it("offers exactly the pages of the user's menu (M12)", () => {
    expect(
      navigationGroups.flatMap((group) => getNavigationItems(group, caller)).map(({ routeName }) => routeName),
    ).toEqual(offeredRoutes[name])
  })

  it('admits every page that the menu offers', () => {
    for (const { routeName } of navigationGroups.flatMap((group) => getNavigationItems(group, caller)))
      expect(getAdmission(toSessionState(caller), routes[routeName].access).kind).toBe('drawn')
  })
})

it('The shortcuts of the installed app open existing pages', () => {
  const { shortcuts } = JSON.parse(readFileSync('public/manifest.webmanifest', 'utf8')) as {
    shortcuts: { url: string }[]
  }
  expect(shortcuts.map(({ url }) => [url, isPagePath(url.replace('/saas', ''))])).toEqual(
    shortcuts.map(({ url }) => [url, true]),
  )
  expect(isPagePath('/app/user?user=new')).toBe(true)
  expect(isPagePath('/app/service/7/log')).toBe(true)
  expect(isPagePath('/app/service/7/nothing')).toBe(false)
})

describe('navigation without a session', () => {
  it('admits the account pages and the entrance, and leads to the login from all others (M8, M10)', () => {
    for (const routeName of routeNames) {
      const admission = getAdmission({ kind: 'signed out', reason: 'noSession' }, routes[routeName].access)
      expect([routeName, admission]).toEqual([
        routeName,
        signedInRouteNames.some((insideName) => insideName === routeName)
          ? { kind: 'led', to: 'login' }
          : { kind: 'drawn' },
      ])
    }
  })

  it('waits at a protected page while it is unknown whether a user is signed in', () => {
    expect(getAdmission({ kind: 'unknown' }, 'user')).toEqual({ kind: 'held' })
    expect(getAdmission({ kind: 'unknown' }, 'anybody')).toEqual({ kind: 'drawn' })
  })
})
