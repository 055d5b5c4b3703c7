import { beforeEach, expect, it } from 'vitest'
import { addTombstone, changeOf, sweepTombstones, takeChange } from '#server/db/change-numbers.ts'
import type { Handle } from '#server/db/handle.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { listUsers, updateUser, userForUpdate, usersChangedSince } from '#server/db/accounts/users.ts'
import { onBothEngines } from '#tests/support/server/database.ts'
import { addCompany, addUser, system } from '#tests/support/server/people.ts'

const people = [
  // In the order in which they come in; 𠮷 (beyond 16 bits) and ｱ are where UTF-16 and bytes disagree.
  { name: 'bob', title: 1 },
  { name: 'Alice', title: 2 },
  { name: '陈美玲', title: 1, status: 0 },
  { name: 'Élodie', title: 0, status: -1 },
  { name: '𠮷田', title: 0 },
  { name: 'ALICE', title: 0, status: -2 },
  { name: '50%_off', title: 1 },
  { name: 'ｱ', title: 2 },
] as const

onBothEngines('a list of users', (the) => {
  let companyId = 0
  const asOwn = <T>(work: (db: Handle) => Promise<T>) => inTransaction(the, { role: 'portal_app', companyId }, work)
  const list = (query: Record<string, unknown>) =>
    asOwn((db) => listUsers(db, companyId, { results: 50, page: 1, ...query }))
  const names = async (query: Record<string, unknown>) => (await list(query)).rows.map(({ name }) => name)

  beforeEach(async () => {
    companyId = await addCompany(the, 'acme')
    for (const [at, user] of people.entries()) await addUser(the, companyId, { email: `u${at}@acme.example`, ...user })
    const other = await addCompany(the, 'globex')
    await addUser(the, other, { email: 'bob@globex.example', name: 'bob of globex' })
  })

  it('is in the order of the folded bytes, the same on both engines (I-14)', async () => {
    // NFKC turns the half-width ｱ (U+FF71) into ア (U+30A2), which comes before 陈.
    const sorted = ['50%_off', 'Alice', 'bob', 'Élodie', 'ｱ', '陈美玲', '𠮷田']
    expect(await names({})).toEqual(sorted)
    expect(await names({ sortField: 'name', sortOrder: 'descend' })).toEqual(sorted.toReversed())
  })

  it('keeps rows of equal value in the order of their ids, in the direction of the sort', async () => {
    const ids = async (sortOrder: string) =>
      (await list({ sortField: 'title', sortOrder, includedDel: true })).rows.map(({ id }) => id)
    expect(await ids('desc')).toEqual((await ids('asc')).toReversed())
  })

  it('shows every row once over its pages, and counts them all on each', async () => {
    const pages = [1, 2, 3, 4].map((page) => list({ page, results: 2, sortField: 'title', sortOrder: 'asc' }))
    const answers = await Promise.all(pages)
    expect(answers.map(({ count }) => count)).toEqual([7, 7, 7, 7])
    expect(new Set(answers.flatMap(({ rows }) => rows.map(({ id }) => id))).size).toBe(7)
    expect(await list({ page: 99, results: 50 })).toEqual({ count: 7, rows: [] })
  })

  it('leaves out the deleted unless they are asked for, by flag or by status (D91)', async () => {
    expect(await names({})).not.toContain('ALICE')
    expect(await names({ includedDel: true })).toContain('ALICE')
    expect(await names({ statusType: -2 })).toEqual(['ALICE'])
    expect(await names({ statusType: 0 })).toEqual(['陈美玲'])
  })

  it('finds what is typed anywhere in name or e-mail, without case, with no wildcards', async () => {
    expect(await names({ searchText: 'aLi' })).toEqual(['Alice'])
    expect(await names({ searchText: '美' })).toEqual(['陈美玲'])
    expect(await names({ searchText: '%_' })).toEqual(['50%_off'])
    expect(await names({ searchText: 'u4@ACME' })).toEqual(['𠮷田'])
    expect(await names({ searchText: "' or 1=1 --" })).toEqual([])
  })

  it('says what changed since a number, and what is gone (protocol 34)', async () => {
    const before = await asOwn((db) => changeOf(db, companyId))
    expect(before).toBe(people.length)
    const first = await asOwn((db) => usersChangedSince(db, companyId, null))
    expect(first).toMatchObject({ upto: before, gone: [] })
    expect(first.changed).toHaveLength(people.length)

    const id = first.changed[0]?.id ?? 0
    await asOwn(async (db) => {
      const row = await userForUpdate(db, companyId, id)
      if (!row) throw new Error('the user is not there')
      expect((await updateUser(db, row, { title: 2 })).row_version).toBe(2)
      await addTombstone(db, { companyId, kind: 'user', rowId: 77, change: await takeChange(db, companyId), time: 5 })
    })
    const later = await asOwn((db) => usersChangedSince(db, companyId, before))
    expect(later).toMatchObject({ changed: [{ id, row_version: 2, title: 2 }], gone: [77], upto: before + 2 })
  })

  it('answers 410 where tombstones were swept since, or where the number is of no known past', async () => {
    const before = await asOwn((db) => changeOf(db, companyId))
    await asOwn(async (db) =>
      addTombstone(db, { companyId, kind: 'user', rowId: 77, change: await takeChange(db, companyId), time: 5 }),
    )
    expect(await inTransaction(the, system, (db) => sweepTombstones(db, 6))).toBe(1)
    await expect(asOwn((db) => usersChangedSince(db, companyId, before))).rejects.toMatchObject({ code: 'GONE' })
    await expect(asOwn((db) => usersChangedSince(db, companyId, before + 9))).rejects.toMatchObject({ status: 410 })
    expect(await asOwn((db) => usersChangedSince(db, companyId, before + 1))).toMatchObject({ changed: [], gone: [] })
  })

  it('gives every change a number of its own without a gap, however many write at once', async () => {
    const order: number[] = []
    await Promise.all(
      Array.from({ length: 8 }, () =>
        asOwn((db) => takeChange(db, companyId)).then((value) => {
          order.push(value)
        }),
      ),
    )
    expect(order.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 8 }, (_, at) => people.length + 1 + at))
  })

  it('lets one e-mail stand once in a company without case, and again once its user is deleted (D72, D73)', async () => {
    await expect(addUser(the, companyId, { email: 'U0@acme.example' })).rejects.toMatchObject({ code: 'DUP_USER' })
    expect(await addUser(the, companyId, { email: 'U5@acme.example' })).toBeGreaterThan(0)
  })
})
