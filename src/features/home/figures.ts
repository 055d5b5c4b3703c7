/** Figures of the home page. They follow the access rules of the pages that they link to (domain/access). */
import { type Caller, isProvider, isAllowed, type AccessRule } from '#domain/access.ts'
import type { HomeReport } from '#ui/page/home-report.ts'

interface FigureDefinition {
  name: keyof HomeReport['figures']
  path: string
  requiredRole: AccessRule
  source: HomeReport['source']
  /** The provider's staff see the services of all customers, not contracts of their own company. */
  audience?: 'customer' | 'provider'
}

const slots = [
  { name: 'services', path: '/app/service', requiredRole: 'providerAdmin', source: 'services', audience: 'provider' },
  { name: 'contracts', path: '/app/contract?status=1', requiredRole: 'order', source: 'orders', audience: 'customer' },
  { name: 'toPay', path: '/app/contract?status=0', requiredRole: 'order', source: 'orders', audience: 'customer' },
  { name: 'users', path: '/app/user', requiredRole: 'admin', source: 'users' },
  { name: 'waiting', path: '/app/outbox', requiredRole: 'user', source: 'outbox' },
] as const satisfies readonly FigureDefinition[]

export type FigureSlot = (typeof slots)[number]

/** Returns none if the only figure would be the waiting writes, which are shown above all pages anyway. */
export function listFigures(caller: Caller): readonly FigureSlot[] {
  const ownAudience = isProvider(caller) ? 'provider' : 'customer'
  const visibleSlots = slots.filter(
    (slot) => (!('audience' in slot) || slot.audience === ownAudience) && isAllowed(slot.requiredRole, caller),
  )
  return visibleSlots.length > 1 ? visibleSlots : []
}
