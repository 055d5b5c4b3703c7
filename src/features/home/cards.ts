/** What home offers, by the rules that the menu and the server go by (domain/access): nothing that would be refused. */
import { type Caller, may, type Who } from '#domain/access.ts'
import type { IconName } from '#ui/icons/Icon.tsx'

interface Way {
  name: string
  path: string
  who: Who
  icon: IconName
}

export const cards = [
  { name: 'contract', path: '/app/contract', who: 'order', icon: 'contract' },
  { name: 'user', path: '/app/user', who: 'admin', icon: 'users' },
  { name: 'company', path: '/app/profile/company', who: 'admin', icon: 'company' },
  { name: 'systrail', path: '/app/systrail', who: 'trail', icon: 'trail' },
  { name: 'service', path: '/app/service', who: 'providerAdmin', icon: 'service' },
  { name: 'module', path: '/app/m18/module', who: 'providerAdmin', icon: 'module' },
  { name: 'price', path: '/app/m18/price', who: 'providerAdmin', icon: 'price' },
  { name: 'profile', path: '/app/profile/user', who: 'user', icon: 'person' },
  { name: 'password', path: '/app/profile/password', who: 'user', icon: 'key' },
] as const satisfies readonly Way[]

export const quick = [
  { name: 'newContract', path: '/app/contract/new', who: 'order', icon: 'plus' },
  { name: 'newUser', path: '/app/user?user=new', who: 'admin', icon: 'plus' },
] as const satisfies readonly Way[]

/** `stands`: whether there is a page at a path yet. */
export const offered = <W extends Way>(ways: readonly W[], caller: Caller, stands: (path: string) => boolean): W[] =>
  ways.filter((way) => stands(way.path) && may(way.who, caller))

/** `hour` by the clock of the person who reads it, 0-23. */
export const greetingAt = (hour: number): 'morning' | 'afternoon' | 'evening' =>
  hour >= 5 && hour < 12 ? 'morning' : hour >= 12 && hour < 18 ? 'afternoon' : 'evening'
