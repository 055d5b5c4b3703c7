/** Access rules of server, menu, routes and buttons, so that the app offers exactly what the server allows. */

/** Environment classes (portal 4). Access levels use these numbers; only provider users have one (D48). */
export const environments = { production: 0, test: 1, debug: 2, experiment: 3, delete: 100 } as const
export type AccessLevel = (typeof environments)[keyof typeof environments]
export const accessLevels: readonly AccessLevel[] = Object.values(environments)

export const PROVIDER = 'm18'

export type ClientType = 'saas' | 'mma'
export const clientTypes: readonly ClientType[] = ['saas', 'mma']

/** The caller data that the rules need. The flags are the user's current ones, never those of a token. */
export interface Caller {
  userId: number
  companyId: number
  companyCode: string
  admin: boolean
  order: boolean
  accessLevel: AccessLevel
  /** Set while a member of the provider's staff acts for the company. `userId` is then that member (decision 111). */
  actingConsent?: ActingConsent
}

/** The consent of a customer's admin, under which a member of the provider's staff acts for the company. */
export interface ActingConsent {
  consentId: number
  /** The company of the acting user, its code, and the user's name. */
  staffCompanyId: number
  staffCompanyCode: string
  staffName: string
  /** Whether the consent allows changes (decision 116). */
  allowsChanges: boolean
  /** End of the consent, epoch ms. */
  until: number
}

export const isProvider = (caller: Caller) => caller.companyCode === PROVIDER
export const isDeleteLevel = (caller: Caller) => isProvider(caller) && caller.accessLevel >= environments.delete
/** Provider pages and catalogue calls (D46). */
export const isProviderAdmin = (caller: Caller) => isProvider(caller) && (caller.admin || isDeleteLevel(caller))
/** Company profile and users (D47). The delete level alone gives access to neither. */
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
  providerOrder: (caller) => caller !== null && isProvider(caller) && (caller.order || isProviderAdmin(caller)),
  /** Contracts of any company (api: order flag). */
  staffOrder: (caller) => caller !== null && isProvider(caller) && caller.order,
  /** Refunds of invoices: what a provider admin may do, with the order flag that the list of all invoices needs. */
  orderingProviderAdmin: (caller) => caller !== null && isProviderAdmin(caller) && caller.order,
  orderOrProviderAdmin: (caller) => caller !== null && (caller.order || isProviderAdmin(caller)),
} satisfies Record<string, (caller: Caller | null) => boolean>

export type AccessRule = keyof typeof accessRules

/** Returns whether the caller (null: not signed in) satisfies the rule. Which rows the caller may access is decided by the tenant. */
export const isAllowed = (rule: AccessRule, caller: Caller | null): boolean => accessRules[rule](caller)

/** Returns whether the caller may read audit entries of that company (D51). Those of the catalogue need the delete level (contracts 2). */
export const canReadEntries = (caller: Caller, companyId: number, rule: 'trail' | 'deleteLevel' = 'trail'): boolean =>
  isAllowed(rule, caller) && (companyId === caller.companyId || isAllowed('providerAdmin', caller))

/** Customers always use saas; only the delete level can choose another type (portal 1). */
export const getClientType = (caller: Caller, requestedType: ClientType): ClientType =>
  isDeleteLevel(caller) ? requestedType : 'saas'

export interface UserRights {
  admin: boolean
  order: boolean
  access_level: number
}

export const isRightLost = (previousRights: UserRights, currentRights: UserRights): boolean =>
  (previousRights.admin && !currentRights.admin) ||
  (previousRights.order && !currentRights.order) ||
  currentRights.access_level < previousRights.access_level
