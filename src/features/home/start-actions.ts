/** Lists the actions on the home page that the user may take, by the access rules of the menu and the server. */
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

export type StartActionName = (typeof startActions)[number]['name']

export const listStartActions = (caller: Caller) =>
  startActions.filter(({ requiredRole }) => isAllowed(requiredRole, caller))
