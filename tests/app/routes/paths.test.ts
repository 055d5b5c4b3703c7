import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import type { Caller } from '#domain/access.ts'
import { admission } from '#app/routes/route-guard.tsx'
import { insidePlaces, outsidePlaces, placeNames, places, standing, stands } from '#app/routes/paths.ts'
import { groups, menuFor } from '#app/shell/navigation-items.ts'
import type { Session, SessionUser } from '#state/session-slice.ts'

const someone: Caller = { userId: 1, companyId: 1, companyCode: 'acme', admin: false, order: false, accessLevel: 0 }

const callers: Record<string, Caller> = {
  user: someone,
  orderer: { ...someone, order: true },
  admin: { ...someone, admin: true },
  'admin with the order flag': { ...someone, admin: true, order: true },
  clerk: { ...someone, companyCode: 'm18' },
  'provider admin': { ...someone, companyCode: 'm18', admin: true },
  'delete level': { ...someone, companyCode: 'm18', accessLevel: 100 },
  // The level means nothing outside the provider's company (D48).
  'customer with a level': { ...someone, accessLevel: 100 },
}

const everyone = ['home', 'profile', 'password', 'security', 'sessions', 'outbox', 'device', 'activity']
const ordering = ['contracts', 'newContract', 'contract', 'contractLog']
const leading = ['company', 'users', 'trail']
const built = new Set(standing)
const providing = [
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

const allowed: Record<keyof typeof callers, string[]> = {
  user: everyone,
  orderer: [...everyone, ...ordering],
  admin: [...everyone, ...leading],
  'admin with the order flag': [...everyone, ...ordering, ...leading],
  clerk: everyone,
  'provider admin': [...everyone, ...leading, ...providing],
  // Without the admin flag: the provider's pages and the trail (D46, D51), no users, no company (D47).
  'delete level': [...everyone, 'trail', ...providing],
  'customer with a level': everyone,
}

const offered: Record<keyof typeof callers, string[]> = {
  user: ['home'],
  orderer: ['home', 'contracts'],
  admin: ['home', 'users', 'company', 'trail'],
  'admin with the order flag': ['home', 'contracts', 'users', 'company', 'trail'],
  clerk: ['home'],
  'provider admin': [
    'home',
    'users',
    'company',
    'trail',
    'services',
    'appHistory',
    'upload',
    'modules',
    'hiddenModules',
    'prices',
  ],
  'delete level': ['home', 'trail', 'services', 'appHistory', 'upload', 'modules', 'hiddenModules', 'prices'],
  'customer with a level': ['home'],
}

afterEach(() => {
  for (const place of placeNames) if (!built.has(place)) standing.delete(place)
})

const signedInAs = (caller: Caller): Session => ({ kind: 'signed in', user: {} as SessionUser, caller })

describe('the places of the portal', () => {
  it('are these, and these may enter them (portal 2, contracts 2)', () => {
    expect(
      Object.fromEntries(placeNames.map((place) => [places[place].path, places[place].who])),
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
        "/app/m18/automodule": "providerAdmin",
        "/app/m18/automodule/:id": "providerAdmin",
        "/app/m18/automodule/new": "providerAdmin",
        "/app/m18/module": "providerAdmin",
        "/app/m18/module/:id": "providerAdmin",
        "/app/m18/module/new": "providerAdmin",
        "/app/m18/price": "providerAdmin",
        "/app/m18/price/:id": "providerAdmin",
        "/app/m18/price/new": "providerAdmin",
        "/app/m18/upload": "providerAdmin",
        "/app/outbox": "user",
        "/app/profile/company": "admin",
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

  it('lie under /app exactly if they need a session', () => {
    expect(insidePlaces.filter((place) => !places[place].path.startsWith('/app/'))).toEqual([])
    expect(outsidePlaces.filter((place) => places[place].path.startsWith('/app'))).toEqual([])
  })

  it('have one path each', () => {
    const paths = placeNames.map((place) => places[place].path)
    expect(new Set(paths).size).toBe(paths.length)
  })
})

describe.each(Object.keys(callers))('a %s', (name) => {
  // The names come from the same object.
  const caller = callers[name] as Caller

  it('enters what they may and is led home from everything else (M11)', () => {
    const entered = insidePlaces.filter((place) => {
      const admitted = admission(signedInAs(caller), places[place].who)
      if (admitted.kind === 'led') expect(admitted.to).toBe('home')
      return admitted.kind === 'drawn'
    })
    expect(entered.sort()).toEqual([...(allowed[name] ?? [])].sort())
  })

  it('is offered exactly the places of their menu (M12)', () => {
    for (const place of placeNames) standing.add(place)
    expect(groups.flatMap((group) => menuFor(group, caller)).map(({ place }) => place)).toEqual(offered[name])
  })

  it('may go wherever the menu leads', () => {
    for (const { place } of groups.flatMap((group) => menuFor(group, caller)))
      expect(admission(signedInAs(caller), places[place].who).kind).toBe('drawn')
  })
})

it('offers no page that does not stand, to anybody', () => {
  for (const caller of Object.values(callers))
    for (const { place } of groups.flatMap((group) => menuFor(group, caller)))
      expect([place, built.has(place)]).toEqual([place, true])
  const { shortcuts } = JSON.parse(readFileSync('public/manifest.webmanifest', 'utf8')) as {
    shortcuts: { url: string }[]
  }
  expect(shortcuts.map(({ url }) => [url, stands(url.replace('/saas', ''))])).toEqual(
    shortcuts.map(({ url }) => [url, true]),
  )
  expect(stands('/app/user?user=new')).toBe(true)
  expect(stands('/app/service/7/log')).toBe(true)
  expect(stands('/app/service/7/nothing')).toBe(false)
})

describe('without a session', () => {
  it('the account pages and the entrance are open, everything else leads to the login (M8, M10)', () => {
    for (const place of placeNames) {
      const admitted = admission({ kind: 'signed out', because: 'nobody' }, places[place].who)
      expect([place, admitted]).toEqual([
        place,
        insidePlaces.some((one) => one === place) ? { kind: 'led', to: 'login' } : { kind: 'drawn' },
      ])
    }
  })

  it('a page waits while it is not known who is there', () => {
    expect(admission({ kind: 'unknown' }, 'user')).toEqual({ kind: 'held' })
    expect(admission({ kind: 'unknown' }, 'anybody')).toEqual({ kind: 'drawn' })
  })
})
