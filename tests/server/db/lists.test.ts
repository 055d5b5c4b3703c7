import { beforeEach, expect, it } from 'vitest'
import { addTombstone, readChangeNumber, deleteOldTombstones, takeChangeNumber } from '#server/db/change-numbers.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { updateUser, lockUser, userReads } from '#server/db/accounts/users.ts'
import { onBothEngines } from '#tests/support/server/database.ts'
import { addCompany, addUser, system } from '#tests/support/server/people.ts'

const usersToAdd = [
  // The users are in the order of their insertion. UTF-16 and bytes sort 𠮷 (beyond 16 bits) and ｱ differently.
  { name: 'bob', title: 1 },
  { name: 'Alice', title: 2 },
  { name: '陈美玲', title: 1, status: 0 },
  { name: 'Élodie', title: 0, status: -1 },
  { name: '𠮷田', title: 0 },
  { name: 'ALICE', title: 0, status: -2 },
  { name: '50%_off', title: 1 },
  { name: 'ｱ', title: 2 },
] as const

onBothEngines('a list of users', (app) => {
  let companyId = 0
  const runAsOwn = <T>(callback: (db: DatabaseHandle) => Promise<T>) =>
    runInTransaction(app, { role: 'portal_app', companyId }, callback)
  const list = (query: Record<string, unknown>) =>
    runAsOwn((db) => userReads.readPage(db, companyId, { results: 50, page: 1, ...query }))
  const listNames = async (query: Record<string, unknown>) => (await list(query)).rows.map(({ name }) => name)

  beforeEach(async () => {
    companyId = await addCompany(app, 'acme')
    for (const [index, user] of usersToAdd.entries())
      await addUser(app, companyId, { email: `u${index}@acme.example`, ...user })
    const otherCompanyId = await addCompany(app, 'globex')
    await addUser(app, otherCompanyId, { email: 'bob@globex.example', name: 'bob of globex' })
  })

  it('is sorted by the bytes of the normalised value, in the same way on both engines (I-14)', async () => {
    // NFKC turns the half-width ｱ (U+FF71) into ア (U+30A2), which comes before 陈.
    const sortedNames = ['50%_off', 'Alice', 'bob', 'Élodie', 'ｱ', '陈美玲', '𠮷田']
    expect(await listNames({})).toEqual(sortedNames)
    expect(await listNames({ sortField: 'name', sortOrder: 'descend' })).toEqual(sortedNames.toReversed())
  })

  it('sorts rows of equal value by id, in the direction of the sort', async () => {
    const listIds = async (sortOrder: string) =>
      (await list({ sortField: 'title', sortOrder, includedDel: true })).rows.map(({ id }) => id)
    expect(await listIds('desc')).toEqual((await listIds('asc')).toReversed())
  })

  it('returns every row once over its pages, with the total count on each page', async () => {
    const pages = [1, 2, 3, 4].map((page) => list({ page, results: 2, sortField: 'title', sortOrder: 'asc' }))
    const results = await Promise.all(pages)
    expect(results.map(({ count }) => count)).toEqual([7, 7, 7, 7])
    expect(new Set(results.flatMap(({ rows }) => rows.map(({ id }) => id))).size).toBe(7)
    expect(await list({ page: 99, results: 50 })).toEqual({ count: 7, rows: [] })
  })

  it('leaves out deleted rows unless they are requested by flag or status (D91)', async () => {
    expect(await listNames({})).not.toContain('ALICE')
    expect(await listNames({ includedDel: true })).toContain('ALICE')
    expect(await listNames({ statusType: -2 })).toEqual(['ALICE'])
    expect(await listNames({ statusType: 0 })).toEqual(['陈美玲'])
  })

  it('finds search text anywhere in name or e-mail, ignoring case and without wildcards', async () => {
    expect(await listNames({ searchText: 'aLi' })).toEqual(['Alice'])
    expect(await listNames({ searchText: '美' })).toEqual(['陈美玲'])
    expect(await listNames({ searchText: '%_' })).toEqual(['50%_off'])
    expect(await listNames({ searchText: 'u4@ACME' })).toEqual(['𠮷田'])
    expect(await listNames({ searchText: "' or 1=1 --" })).toEqual([])
  })

  it('returns changed and deleted rows since a change number (protocol 34)', async () => {
    const changeNumber = await runAsOwn((db) => readChangeNumber(db, companyId))
    expect(changeNumber).toBe(usersToAdd.length)
    const firstChanges = await runAsOwn((db) => userReads.readChanges(db, companyId, null))
    expect(firstChanges).toMatchObject({ upto: changeNumber, gone: [] })
    expect(firstChanges.changed).toHaveLength(usersToAdd.length)

    const id = firstChanges.changed[0]?.id ?? 0
    await runAsOwn(async (db) => {
      const row = await lockUser(db, companyId, id)
      if (!row) throw new Error('the user is not there')
      expect((await updateUser(db, row, { title: 2 })).row_version).toBe(2)
      await addTombstone(db, {
        companyId,
        kind: 'user',
        rowId: 77,
        change: await takeChangeNumber(db, companyId),
        time: 5,
      })
    })
    const laterChanges = await runAsOwn((db) => userReads.readChanges(db, companyId, changeNumber))
    expect(laterChanges).toMatchObject({
      changed: [{ id, row_version: 2, title: 2 }],
      gone: [77],
      upto: changeNumber + 2,
    })
  })

  it('returns 410 if tombstones were deleted since, or the change number is unknown', async () => {
    const changeNumber = await runAsOwn((db) => readChangeNumber(db, companyId))
    await runAsOwn(async (db) =>
      addTombstone(db, { companyId, kind: 'user', rowId: 77, change: await takeChangeNumber(db, companyId), time: 5 }),
    )
    expect(await runInTransaction(app, system, (db) => deleteOldTombstones(db, 6))).toBe(1)
    await expect(runAsOwn((db) => userReads.readChanges(db, companyId, changeNumber))).rejects.toMatchObject({
      code: 'GONE',
    })
    await expect(runAsOwn((db) => userReads.readChanges(db, companyId, changeNumber + 9))).rejects.toMatchObject({
      status: 410,
    })
    expect(await runAsOwn((db) => userReads.readChanges(db, companyId, changeNumber + 1))).toMatchObject({
      changed: [],
      gone: [],
    })
  })

  it('gives concurrent changes consecutive change numbers without a gap', async () => {
    const order: number[] = []
    await Promise.all(
      Array.from({ length: 8 }, () =>
        runAsOwn((db) => takeChangeNumber(db, companyId)).then((value) => {
          order.push(value)
        }),
      ),
    )
    expect(order.toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 8 }, (_, index) => usersToAdd.length + 1 + index),
    )
  })

  it('has an e-mail only once per company, ignoring case, and again after its user is deleted (D72, D73)', async () => {
    await expect(addUser(app, companyId, { email: 'U0@acme.example' })).rejects.toMatchObject({ code: 'DUP_USER' })
    expect(await addUser(app, companyId, { email: 'U5@acme.example' })).toBeGreaterThan(0)
  })
})
