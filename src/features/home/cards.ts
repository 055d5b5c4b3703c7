/** What home offers, by the rules that the menu and the server go by (domain/access): nothing that would be refused. */
import { type Caller, may, type Who } from '#domain/access.ts'

export const cards = [
  { name: 'user', path: '/app/user', who: 'admin', icon: 'users' },
  { name: 'contract', path: '/app/contract', who: 'order', icon: 'file-edit' },
  { name: 'company', path: '/app/profile/company', who: 'admin', icon: 'building' },
  { name: 'systrail', path: '/app/systrail', who: 'admin', icon: 'history' },
  { name: 'service', path: '/app/service', who: 'providerAdmin', icon: 'server' },
  { name: 'price', path: '/app/m18/price', who: 'providerAdmin', icon: 'tags' },
  { name: 'module', path: '/app/m18/module', who: 'providerAdmin', icon: 'th-large' },
  { name: 'profile', path: '/app/profile/user', who: 'user', icon: 'user' },
  { name: 'password', path: '/app/profile/password', who: 'user', icon: 'key' },
] as const satisfies readonly { name: string; path: string; who: Who; icon: string }[]
export type Card = (typeof cards)[number]

export const cardsFor = (caller: Caller): Card[] => cards.filter((card) => may(card.who, caller))

/** `hour` by the clock of the person who reads it, 0-23. */
export const greetingAt = (hour: number): 'morning' | 'afternoon' | 'evening' =>
  hour >= 5 && hour < 12 ? 'morning' : hour >= 12 && hour < 18 ? 'afternoon' : 'evening'
