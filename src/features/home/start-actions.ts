/** Actions offered on the home page, by the access rules of the menu and the server. */
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

/** `hour`: in the time zone of the user, 0-23. */
export const getGreeting = (hour: number): 'morning' | 'afternoon' | 'evening' =>
  hour >= 5 && hour < 12 ? 'morning' : hour >= 12 && hour < 18 ? 'afternoon' : 'evening'
