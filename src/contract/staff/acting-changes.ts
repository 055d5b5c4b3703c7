/**
 * The writes that a member of the provider's staff may use under a consent that allows changes (decision 116). Every other write, and every
 * new one, stays ACTING_READ_ONLY. A pure list, because pages read it to offer exactly these actions.
 */

const companyFields = ['tel', 'website'] as const
const userFields = ['title', 'name', 'alert'] as const

/**
 * The allowed calls, with the fields of the body that they may carry. A write with any other field is refused, and changes nothing. What is
 * left out: names, numbers and addresses that documents and logins depend on, and every right of a user.
 */
const fieldsByCall = {
  updateCompany: companyFields,
  updateCompanyUser: userFields,
  configureService: [],
  rebootService: [],
} as const satisfies Record<string, readonly string[]>

/** Name of a write that is allowed under a consent with changes. */
export type ActingChange = keyof typeof fieldsByCall

export const actingChanges: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(fieldsByCall))

/** Calls about the outcome of these writes: the result of a long one, and that of one whose response was lost. */
export const actingOutcomeCalls: ReadonlySet<string> = new Set(['getRequest', 'voidRequest'])

/** Returns whether a consent that allows changes allows the call in addition to the reads (`actingCalls`). */
export const isActingChange = (callName: string): boolean =>
  actingChanges.has(callName) || actingOutcomeCalls.has(callName)

/** Returns the fields of a body that the call must not carry while acting. */
export const listRefusedFields = (callName: string, body: unknown): string[] => {
  const allowedFields = actingChanges.get(callName)
  if (!allowedFields || typeof body !== 'object' || body === null) return []
  return Object.keys(body).filter((field) => !allowedFields.includes(field))
}

/** Values that the query of an allowed call must not have. A service without tasks is stopped. */
const refusedValues: Partial<Record<string, Record<string, unknown>>> = {
  configureService: { task_desire_count: 0 },
} satisfies Partial<Record<ActingChange, Record<string, unknown>>>

/** Returns whether the query asks for what the call must not do while acting. */
export const isRefusedQuery = (callName: string, query: object | undefined): boolean =>
  Object.entries(refusedValues[callName] ?? {}).some(
    ([name, value]) => new Map(Object.entries(query ?? {})).get(name) === value,
  )

/** Returns whether the form of an allowed call may change the field. */
export const isActingField = (callName: ActingChange, field: string): boolean =>
  actingChanges.get(callName)?.includes(field) === true
