import { describe, expect, it } from 'vitest'
import {
  accessLevels,
  type Caller,
  clientTypeOf,
  clientTypes,
  environments,
  isCompanyAdmin,
  isDeleteLevel,
  isProviderAdmin,
  may,
  type Who,
} from '#domain/access.ts'

const caller = (changes: Partial<Caller>): Caller => ({
  userId: 1,
  companyId: 2,
  companyCode: 'acme',
  admin: false,
  order: false,
  accessLevel: 0,
  ...changes,
})

const nobody = null
const plain = caller({})
const orderer = caller({ order: true })
const admin = caller({ admin: true })
const clerk = caller({ companyCode: 'm18' })
const ordering = caller({ companyCode: 'm18', order: true })
const staff = caller({ companyCode: 'm18', admin: true })
const deleter = caller({ companyCode: 'm18', accessLevel: 100 })
/** A customer never has a level; should one be stored, it opens nothing (D48). */
const impostor = caller({ accessLevel: 100 })

describe('who may do what', () => {
  const table: [Who, (Caller | null)[], (Caller | null)[]][] = [
    ['anybody', [nobody, plain, deleter], []],
    ['user', [plain, orderer, clerk], [nobody]],
    ['admin', [admin, staff], [nobody, plain, orderer, clerk, deleter, impostor]],
    ['trail', [admin, staff, deleter], [nobody, plain, orderer, clerk, impostor]],
    ['order', [orderer], [nobody, plain, admin, deleter]],
    ['providerAdmin', [staff, deleter], [nobody, admin, clerk, impostor]],
    ['deleteLevel', [deleter], [nobody, staff, clerk, impostor]],
    ['providerOrder', [ordering, staff, deleter], [nobody, orderer, admin, clerk, impostor]],
    ['orderOrProviderAdmin', [orderer, staff, deleter], [nobody, plain, admin, clerk]],
  ]

  it.each(table)('%s', (who, allowed, refused) => {
    expect(allowed.map((one) => may(who, one))).toEqual(allowed.map(() => true))
    expect(refused.map((one) => may(who, one))).toEqual(refused.map(() => false))
  })

  it('knows the environments of the specification, and no other levels (M17, portal 4)', () => {
    expect(environments).toEqual({ production: 0, test: 1, debug: 2, experiment: 3, delete: 100 })
    expect(accessLevels).toEqual([0, 1, 2, 3, 100])
  })

  it('opens the gate of the delete environment to its own level alone, inside the provider (M17, D48)', () => {
    const levels = accessLevels.filter((accessLevel) => isDeleteLevel(caller({ companyCode: 'm18', accessLevel })))
    expect(levels).toEqual([environments.delete])
    expect(accessLevels.filter((accessLevel) => isDeleteLevel(caller({ accessLevel })))).toEqual([])
  })

  it("gives the delete level the provider's pages, and no company's (M15, D46, D47)", () => {
    expect([isDeleteLevel(deleter), isProviderAdmin(deleter), isCompanyAdmin(deleter)]).toEqual([true, true, false])
    expect(isDeleteLevel(impostor)).toBe(false)
  })
})

describe('the client type (M3, portal 1)', () => {
  it.each(clientTypes)('%s can be chosen by the delete level only; for all others it is saas', (chosen) => {
    expect(clientTypeOf(deleter, chosen)).toBe(chosen)
    for (const one of [plain, admin, staff, clerk, impostor]) expect(clientTypeOf(one, chosen)).toBe('saas')
  })
})
