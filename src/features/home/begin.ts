/** What is begun from home, by the rules that the menu and the server go by: nothing that would be refused. */
import { type Caller, may, type Who } from '#domain/access.ts'

interface Way {
  name: string
  path: string
  who: Who
}

const ways = [
  { name: 'newContract', path: '/app/contract/new', who: 'order' },
  { name: 'newUser', path: '/app/user?user=new', who: 'admin' },
] as const satisfies readonly Way[]

/** `stands`: whether there is a page at a path yet. */
export const begunBy = (caller: Caller, stands: (path: string) => boolean) =>
  ways.filter((way) => stands(way.path) && may(way.who, caller))

/** `hour` by the clock of the person who reads it, 0-23. */
export const greetingAt = (hour: number): 'morning' | 'afternoon' | 'evening' =>
  hour >= 5 && hour < 12 ? 'morning' : hour >= 12 && hour < 18 ? 'afternoon' : 'evening'
