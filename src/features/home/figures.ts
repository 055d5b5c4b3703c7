/** Defines the figures of the home page. They follow the access rules of the pages that they link to (domain/access). */
import { type Caller, isProvider, isAllowed, type AccessRule } from '#domain/access.ts'
import type { HomeReport } from '#ui/page/home-report.ts'

interface FigureDefinition {
  name: keyof HomeReport['figures']
  path: string
  requiredRole: AccessRule
  source: HomeReport['source']
  /** Only these users see the figure. The provider's staff see all customers, not the contracts and users of their own company. */
  audience: 'customer' | 'provider'
}

const slots = [
  {
    name: 'unpaid',
    path: '/app/m18/customer?show=unpaid',
    requiredRole: 'providerOrder',
    source: 'customers',
    audience: 'provider',
  },
  {
    name: 'ending',
    path: '/app/service?show=ending',
    requiredRole: 'providerAdmin',
    source: 'services',
    audience: 'provider',
  },
  {
    name: 'down',
    path: '/app/service?show=down',
    requiredRole: 'providerAdmin',
    source: 'services',
    audience: 'provider',
  },
  { name: 'contracts', path: '/app/contract?status=1', requiredRole: 'order', source: 'orders', audience: 'customer' },
  { name: 'toPay', path: '/app/contract?status=0', requiredRole: 'order', source: 'orders', audience: 'customer' },
  {
    name: 'customers',
    path: '/app/m18/customer',
    requiredRole: 'providerOrder',
    source: 'customers',
    audience: 'provider',
  },
  { name: 'users', path: '/app/user', requiredRole: 'admin', source: 'users', audience: 'customer' },
  { name: 'waiting', path: '/app/outbox', requiredRole: 'user', source: 'outbox', audience: 'customer' },
] as const satisfies readonly FigureDefinition[]

export type FigureSlot = (typeof slots)[number]

/** Returns no figures if the only one would be the number of waiting writes, which is shown above all pages anyway. */
export function listFigures(caller: Caller): readonly FigureSlot[] {
  const ownAudience = isProvider(caller) ? 'provider' : 'customer'
  const visibleSlots = slots.filter((slot) => slot.audience === ownAudience && isAllowed(slot.requiredRole, caller))
  return visibleSlots.every(({ name }) => name === 'waiting') ? [] : visibleSlots
}
