/**
 * Who may do what. One set of rules for the server's checks, the menu, the routes and the buttons, so that nothing is
 * offered that would be refused and nothing is refused that was offered.
 */

/** Environment classes (portal 4). An access level is one of these numbers; only the provider's users have one (D48). */
export const environments = { production: 0, test: 1, debug: 2, experiment: 3, delete: 100 } as const
export type AccessLevel = (typeof environments)[keyof typeof environments]
export const accessLevels: readonly AccessLevel[] = Object.values(environments)

/** The provider's own company code. */
export const PROVIDER = 'm18'

export type ClientType = 'saas' | 'mma'
export const clientTypes: readonly ClientType[] = ['saas', 'mma']

/** What the rules need to know of the one who asks: the user's flags as they are now, never as a token remembers them. */
export interface Caller {
  userId: number
  companyId: number
  companyCode: string
  admin: boolean
  order: boolean
  accessLevel: AccessLevel
}

export const isProvider = (caller: Caller) => caller.companyCode === PROVIDER
export const isDeleteLevel = (caller: Caller) => isProvider(caller) && caller.accessLevel >= environments.delete
/** Provider pages and catalogue calls (D46). */
export const isProviderAdmin = (caller: Caller) => isProvider(caller) && (caller.admin || isDeleteLevel(caller))
/** Company profile and users (D47). The delete level alone opens neither. */
export const isCompanyAdmin = (caller: Caller) => caller.admin

const accessRules = {
  anybody: () => true,
  user: (caller) => caller !== null,
  admin: (caller) => caller !== null && isCompanyAdmin(caller),
  // D51.
  trail: (caller) => caller !== null && (caller.admin || isDeleteLevel(caller)),
  order: (caller) => caller?.order === true,
  providerAdmin: (caller) => caller !== null && isProviderAdmin(caller),
  deleteLevel: (caller) => caller !== null && isDeleteLevel(caller),
  /** Who looks at other companies' contracts, or orders for them. */
  providerOrder: (caller) => caller !== null && isProvider(caller) && (caller.order || isProviderAdmin(caller)),
  orderOrProviderAdmin: (caller) => caller !== null && (caller.order || isProviderAdmin(caller)),
} satisfies Record<string, (caller: Caller | null) => boolean>

export type AccessRule = keyof typeof accessRules

/** Whether the caller (null: not signed in) satisfies the rule. Whose rows they then see is the tenant's matter. */
export const isAllowed = (rule: AccessRule, caller: Caller | null): boolean => accessRules[rule](caller)

/** Customers are always saas; only the delete level chooses (portal 1). */
export const getClientType = (caller: Caller, requestedType: ClientType): ClientType =>
  isDeleteLevel(caller) ? requestedType : 'saas'

/** What of a user's row decides what they may read, by the row's own names. */
export interface UserRights {
  admin: boolean
  order: boolean
  access_level: number
}

/** Whether something that could be read before may not be read any more. */
export const isRightLost = (previousRights: UserRights, currentRights: UserRights): boolean =>
  (previousRights.admin && !currentRights.admin) ||
  (previousRights.order && !currentRights.order) ||
  currentRights.access_level < previousRights.access_level
