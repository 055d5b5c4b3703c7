import { describe, expect, it } from 'vitest'
import {
  accessLevels,
  type Caller,
  getClientType,
  clientTypes,
  environments,
  isCompanyAdmin,
  isDeleteLevel,
  isProviderAdmin,
  isAllowed,
  type AccessRule,
} from '#domain/access.ts'

const buildCaller = (fields: Partial<Caller>): Caller => ({
  userId: 1,
  companyId: 2,
  companyCode: 'acme',
  admin: false,
  order: false,
  accessLevel: 0,
  ...fields,
})

const anonymous = null
const plainUser = buildCaller({})
const orderingUser = buildCaller({ order: true })
const admin = buildCaller({ admin: true })
const clerk = buildCaller({ companyCode: 'm18' })
const orderingClerk = buildCaller({ companyCode: 'm18', order: true })
const staff = buildCaller({ companyCode: 'm18', admin: true })
const deleter = buildCaller({ companyCode: 'm18', accessLevel: 100 })
const orderingStaff = buildCaller({ companyCode: 'm18', admin: true, order: true })
/** A customer with an access level. Customers never get one. If one is stored anyway, it gives no rights (D48). */
const impostor = buildCaller({ accessLevel: 100 })

describe('Access rules', () => {
  const table: [AccessRule, (Caller | null)[], (Caller | null)[]][] = [
    ['anybody', [anonymous, plainUser, deleter], []],
    ['user', [plainUser, orderingUser, clerk], [anonymous]],
    ['admin', [admin, staff], [anonymous, plainUser, orderingUser, clerk, deleter, impostor]],
    ['trail', [admin, staff, deleter], [anonymous, plainUser, orderingUser, clerk, impostor]],
    ['order', [orderingUser], [anonymous, plainUser, admin, deleter]],
    ['providerAdmin', [staff, deleter], [anonymous, admin, clerk, impostor]],
    ['deleteLevel', [deleter], [anonymous, staff, clerk, impostor]],
    ['providerOrder', [orderingClerk, staff, deleter], [anonymous, orderingUser, admin, clerk, impostor]],
    ['orderingProviderAdmin', [orderingStaff], [anonymous, orderingUser, admin, orderingClerk, staff, deleter]],
    ['orderOrProviderAdmin', [orderingUser, staff, deleter], [anonymous, plainUser, admin, clerk]],
  ]

  it.each(table)('The rule %s admits exactly the intended callers', (rule, allowedCallers, refusedCallers) => {
    expect(allowedCallers.map((testedCaller) => isAllowed(rule, testedCaller))).toEqual(allowedCallers.map(() => true))
    expect(refusedCallers.map((testedCaller) => isAllowed(rule, testedCaller))).toEqual(refusedCallers.map(() => false))
  })

  it('The environments and access levels equal those of the specification (M17, portal 4)', () => {
    expect(environments).toEqual({ production: 0, test: 1, debug: 2, experiment: 3, delete: 100 })
    expect(accessLevels).toEqual([0, 1, 2, 3, 100])
  })

  it("Only the provider's delete level opens the delete environment (M17, D48)", () => {
    const levels = accessLevels.filter((accessLevel) => isDeleteLevel(buildCaller({ companyCode: 'm18', accessLevel })))
    expect(levels).toEqual([environments.delete])
    expect(accessLevels.filter((accessLevel) => isDeleteLevel(buildCaller({ accessLevel })))).toEqual([])
  })

  it("The delete level has the provider's pages and no company's pages (M15, D46, D47)", () => {
    expect([isDeleteLevel(deleter), isProviderAdmin(deleter), isCompanyAdmin(deleter)]).toEqual([true, true, false])
    expect(isDeleteLevel(impostor)).toBe(false)
  })
})

describe('getClientType (M3, portal 1)', () => {
  it.each(clientTypes)('returns the chosen %s for the delete level only, and saas for all others', (clientType) => {
    expect(getClientType(deleter, clientType)).toBe(clientType)
    for (const testedCaller of [plainUser, admin, staff, clerk, impostor])
      expect(getClientType(testedCaller, clientType)).toBe('saas')
  })
})
