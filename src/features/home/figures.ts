/** The figures of home, by the rules that guard the places they lead to (domain/access). */
import { type Caller, isProvider, may, type Who } from '#domain/access.ts'
import type { HomeReport } from '#ui/page/home-report.ts'

interface Slot {
  name: keyof HomeReport['figures']
  path: string
  who: Who
  /** Who knows it. */
  from: HomeReport['from']
  /** The provider's staff look at everybody's services, not at contracts of their own company. */
  of?: 'customer' | 'provider'
}

const slots = [
  { name: 'services', path: '/app/service', who: 'providerAdmin', from: 'services', of: 'provider' },
  { name: 'contracts', path: '/app/contract?status=1', who: 'order', from: 'orders', of: 'customer' },
  { name: 'toPay', path: '/app/contract?status=0', who: 'order', from: 'orders', of: 'customer' },
  { name: 'users', path: '/app/user', who: 'admin', from: 'users' },
  { name: 'waiting', path: '/app/outbox', who: 'user', from: 'outbox' },
] as const satisfies readonly Slot[]

export type FigureSlot = (typeof slots)[number]

/** Whoever looks after nothing has no figures: what waits stands in the line above all pages. */
export function figuresFor(caller: Caller): readonly FigureSlot[] {
  const own = isProvider(caller) ? 'provider' : 'customer'
  const shown = slots.filter((slot) => (!('of' in slot) || slot.of === own) && may(slot.who, caller))
  return shown.length > 1 ? shown : []
}
