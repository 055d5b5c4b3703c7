/** What is begun from home, by the rules that the menu and the server go by: nothing that would be refused. */
import { type Caller, isAllowed, type AccessRule } from '#domain/access.ts'

interface StartAction {
  name: string
  path: string
  requiredRole: AccessRule
}

const startActions = [
  { name: 'newContract', path: '/app/contract/new', requiredRole: 'order' },
  { name: 'newUser', path: '/app/user?user=new', requiredRole: 'admin' },
] as const satisfies readonly StartAction[]

export const listStartActions = (caller: Caller) =>
  startActions.filter(({ requiredRole }) => isAllowed(requiredRole, caller))

/** `hour` by the clock of the person who reads it, 0-23. */
export const getGreeting = (hour: number): 'morning' | 'afternoon' | 'evening' =>
  hour >= 5 && hour < 12 ? 'morning' : hour >= 12 && hour < 18 ? 'afternoon' : 'evening'
