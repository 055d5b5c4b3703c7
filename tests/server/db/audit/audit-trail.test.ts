import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { toCanonicalJson, isCanonical } from '#domain/audit-log/canonical.ts'
import { openCheckpoint } from '#domain/audit-log/checkpoint.ts'
import { hashLeaf } from '#domain/audit-log/hash.ts'
import { readLeaf } from '#domain/audit-log/leaf.ts'
import { createVerifierKey } from '#domain/audit-log/note.ts'
import { appendLeaves, emptyEdge } from '#domain/audit-log/tree-edge.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import { readLatestCheckpoint } from '#server/db/audit/audit-log.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { findBrokenEntries } from '#server/use-cases/audit/check-log.ts'
import { getLogOrigin, getSigningSeed } from '#server/use-cases/audit/log-identity.ts'
import { onBothEngines, bypassPolicies } from '#tests/support/server/database.ts'
import { addAdmin, system } from '#tests/support/server/people.ts'

const createNote = (operation: string) => ({ code: 'user' as const, operation, info: { UserName: '陈美玲', n: 1 } })

async function fillAuditTrail(app: AppContext, entryCount = 12) {
  const { companyId, userId } = await addAdmin(app, 'acme')
  const entry = { companyId, userId, now: 5, status: 0 as const, intent: null, requestId: 'r' }
  const scope = { role: 'portal_app', companyId } as const
  await Promise.all(
    Array.from({ length: entryCount - 2 }, (_, index) =>
      runInTransaction(app, scope, (db) => addAuditEntries(db, entry, [createNote(`op${index}`)])),
    ),
  )
  await runInTransaction(app, scope, (db) =>
    addAuditEntries(db, entry, [createNote('first of two'), createNote('second of two')]),
  )
  return {
    companyId,
    entry,
    scope,
    findBroken: () => runInTransaction(app, system, (db) => findBrokenEntries(app, db)),
  }
}

const runAsSystem = <T>(app: AppContext, callback: Parameters<typeof runInTransaction<T>>[2]) =>
  runInTransaction(app, system, callback)

const readLeaves = (app: AppContext, companyId: number) =>
  runAsSystem(app, async (db) => {
    const { rows } = await sql<{ log_index: number; id: number; leaf: string }>`
      select place.log_index, entry.id, entry.leaf from audit_leaf place join audit_entry entry on entry.id = place.entry_id
      where place.company_id = ${companyId} order by place.log_index`.execute(db)
    return rows
  })

onBothEngines('the audit trail', (app) => {
  it('stores each entry as canonical JSON with its id, its author and a salt', async () => {
    const { companyId, entry } = await fillAuditTrail(app)
    const [row, next] = await runAsSystem(app, (db) => db.selectFrom('audit_entry').selectAll().orderBy('id').execute())
    expect(row).toMatchObject({ exec_user_name: 'admin', status: 0, info: { UserName: '陈美玲', n: 1 } })
    expect(isCanonical(row?.leaf ?? '')).toBe(true)
    const { salt, ...leaf } = readLeaf(row?.leaf ?? '')
    expect(salt).toMatch(/^[0-9a-f]{32}$/)
    expect(readLeaf(next?.leaf ?? '').salt).not.toBe(salt)
    expect(leaf).toEqual({
      v: 1,
      id: row?.id,
      company: companyId,
      actor_company: null,
      actor_hash: null,
      time: 5,
      code: 'user',
      operation: row?.operation,
      user_id: entry.userId,
      user_name: 'admin',
      status: 0,
      info: { UserName: '陈美玲', n: 1 },
      changes: [],
      intent: null,
      request_id: 'r',
    })
  })

  it.each([
    ['quotes and control characters', '"\\\b\f\n\r\t\u0001\u001f\u007f</script>\u2028'],
    ['text that looks like field boundaries', 'id 0 "name" ","user_name":"'],
    ['a lone surrogate', 'a\ud800b'],
    ['another alphabet', '陈美玲 𝒳 é'],
  ])('stores canonical JSON for names and values with %s', async (_, text) => {
    const { companyId, userId } = await addAdmin(app, 'acme')
    const entryHead = { companyId, userId, now: 5, status: 0 as const, intent: null, requestId: text }
    await bypassPolicies(app.database, async (db) => {
      await sql`update portal_user set name = ${text.toWellFormed()} where id = ${userId}`.execute(db)
    })
    const entry = { code: 'user' as const, operation: 'update', info: { UserName: text, half: 0.5, big: 2 ** 60 } }
    const changes = [{ field: 'name', before: undefined, after: { [text]: [text, 1.5, null] } }]
    await runAsSystem(app, (db) => addAuditEntries(db, entryHead, [{ ...entry, changes }]))
    const row = await runAsSystem(app, (db) => db.selectFrom('audit_entry').selectAll().executeTakeFirstOrThrow())
    expect(isCanonical(row.leaf)).toBe(true)
    const leaf = readLeaf(row.leaf)
    const wellFormedText = text.toWellFormed()
    expect(leaf).toMatchObject({ id: row.id, user_name: wellFormedText, request_id: wellFormedText })
    expect(leaf.info).toEqual({ UserName: wellFormedText, half: '0.5', big: String(2 ** 60) })
    expect(leaf.changes).toEqual([
      { field: 'name', before: null, after: { [wellFormedText]: [wellFormedText, '1.5', null] } },
    ])
  })

  it('gives every entry one position in the log of its company, and signs the root', async () => {
    const { companyId, findBroken } = await fillAuditTrail(app, 12)
    const otherAdmin = await addAdmin(app, 'globex')
    const entry = {
      companyId: otherAdmin.companyId,
      userId: otherAdmin.userId,
      now: 5,
      status: -1 as const,
      intent: 'i',
      requestId: '',
    }
    await runAsSystem(app, (db) => addAuditEntries(db, entry, [createNote('other company')]))
    expect(await findBroken()).toEqual([])
    expect(await integrate(app)).toBe(13)
    expect(await integrate(app)).toBe(0)
    expect(await findBroken()).toEqual([])
    const leaves = await readLeaves(app, companyId)
    expect(leaves.map(({ log_index }) => log_index)).toEqual([...Array(12).keys()])
    expect(new Set(leaves.map(({ id }) => id)).size).toBe(12)
    const { root } = appendLeaves(
      emptyEdge,
      leaves.map(({ leaf }) => hashLeaf(leaf)),
    )
    const latestCheckpoint = await runAsSystem(app, (db) => readLatestCheckpoint(db, companyId))
    const origin = getLogOrigin(app, companyId)
    const checkpoint = openCheckpoint(latestCheckpoint?.note, createVerifierKey(origin, getSigningSeed(app)))
    expect(checkpoint).toEqual({ origin, size: 12, root, epoch: 0 })
  })

  it('continues an existing log across a tile boundary', async () => {
    const { companyId, entry, scope, findBroken } = await fillAuditTrail(app, 12)
    await integrate(app)
    await runInTransaction(app, scope, (db) =>
      addAuditEntries(
        db,
        entry,
        Array.from({ length: 300 }, (_, index) => createNote(`n${index}`)),
      ),
    )
    expect(await integrate(app)).toBe(300)
    await runInTransaction(app, scope, (db) => addAuditEntries(db, entry, [createNote('last')]))
    await integrate(app)
    expect(await findBroken()).toEqual([])
    const leaves = await readLeaves(app, companyId)
    const latestCheckpoint = await runAsSystem(app, (db) => readLatestCheckpoint(db, companyId))
    expect(latestCheckpoint?.size).toBe(313)
    const { root } = appendLeaves(
      emptyEdge,
      leaves.map(({ leaf }) => hashLeaf(leaf)),
    )
    const key = createVerifierKey(getLogOrigin(app, companyId), getSigningSeed(app))
    expect(openCheckpoint(latestCheckpoint?.note, key).root).toEqual(root)
  })

  it('still integrates entries of other companies if one log was tampered with', async () => {
    const { companyId, entry } = await fillAuditTrail(app, 12)
    await integrate(app)
    const otherAdmin = await addAdmin(app, 'globex')
    await bypassPolicies(app.database, async (db) => {
      await sql`update audit_tile set hashes = sha256('x')`.execute(db)
    })
    const laterEntry = { ...entry, companyId: otherAdmin.companyId, userId: otherAdmin.userId }
    await runAsSystem(app, (db) => addAuditEntries(db, entry, [createNote('behind a broken log')]))
    await runAsSystem(app, (db) => addAuditEntries(db, laterEntry, [createNote('of another company')]))
    expect(await integrate(app)).toBe(1)
    expect(await readLeaves(app, otherAdmin.companyId)).toHaveLength(1)
    expect(await readLeaves(app, companyId)).toHaveLength(12)
    const brokenEntries = await runAsSystem(app, (db) => findBrokenEntries(app, db, { maxBroken: 100 }))
    expect(new Set(brokenEntries.map(({ company_id }) => company_id))).toEqual(new Set([companyId]))
  })

  it('keeps the last checkpoint of each past day, and only the latest of today', async () => {
    const dayMs = 86_400_000
    let now = Date.parse('2026-11-20T02:00:00Z')
    const timedApp = { ...app, clock: () => now }
    const { companyId, entry, scope } = await fillAuditTrail(timedApp, 12)
    const addEntry = async () => {
      await runInTransaction(timedApp, scope, (db) => addAuditEntries(db, entry, [createNote('more')]))
      await integrate(timedApp)
    }
    await integrate(timedApp)
    await addEntry()
    now += dayMs
    await addEntry()
    await addEntry()
    const checkpoints = await runAsSystem(timedApp, (db) =>
      db
        .selectFrom('audit_checkpoint')
        .select(['size', 'is_permanent'])
        .where('company_id', '=', companyId)
        .orderBy('size')
        .execute(),
    )
    expect(checkpoints).toEqual([
      { size: 13, is_permanent: true },
      { size: 15, is_permanent: false },
    ])
  })

  it('cannot be updated, truncated or deleted by any application role', async () => {
    const { scope } = await fillAuditTrail(app)
    await integrate(app)
    for (const caller of [scope, system])
      for (const statement of [
        sql`update audit_entry set info = '{}'`,
        sql`delete from audit_entry`,
        sql`truncate audit_entry`,
        sql`update audit_leaf set log_index = log_index + 100`,
        sql`delete from audit_leaf`,
        sql`update audit_tile set hashes = sha256('x')`,
        sql`delete from audit_tile`,
      ])
        await expect(runInTransaction(app, caller, (db) => statement.execute(db))).rejects.toMatchObject({
          code: '42501',
        })
    await expect(
      runInTransaction(app, scope, (db) => sql`update audit_tile set hashes = hashes || sha256('x')`.execute(db)),
    ).rejects.toMatchObject({ code: '42501' })
  })

  it.each([
    ['a changed column outside the leaf', sql`update audit_entry set exec_user_name = 'nobody' where id = 6`, 6],
    ['an emptied search text', sql`update audit_entry set search = '' where id = 6`, 6],
    ['a changed leaf', sql`update audit_entry set leaf = replace(leaf, 'op', 'ap') where id = 6`, 6],
    ['a removed entry', sql`delete from audit_entry where id = 6`, 5],
    ['a removed log position', sql`delete from audit_leaf where entry_id = 6`, 5],
    [
      'an inserted entry',
      sql`insert into audit_entry select 99, company_id, null, null, code, operation, exec_user_id,
      exec_user_name, end_time, status, info, intent, request_id, search, leaf from audit_entry where id = 6`,
      99,
    ],
    [
      'two swapped entries',
      sql`with one as (update audit_leaf set log_index = 1000 where entry_id = 6 returning 1)
      select * from one`,
      5,
    ],
    ['a changed hash in a tile', sql`update audit_tile set hashes = overlay(hashes placing sha256('x') from 161)`, 6],
    [
      'a removed last entry',
      sql`with cut as (delete from audit_leaf where entry_id = 12) delete from audit_entry where id = 12`,
      11,
    ],
    ['a forged checkpoint', sql`update audit_checkpoint set note = replace(note, '12', '11')`, 12],
    ['a missing checkpoint', sql`delete from audit_checkpoint`, 12],
  ])('detects %s', async (_, tamper, logIndex) => {
    const { findBroken } = await fillAuditTrail(app)
    await integrate(app)
    expect(await findBroken()).toEqual([])
    await bypassPolicies(app.database, async (db) => void (await tamper.execute(db)))
    expect((await findBroken()).map(({ id }) => id)).toContain(logIndex)
  })

  it("stores an action for another company in that company's log, without the user's name", async () => {
    const customer = await addAdmin(app, 'acme')
    const staff = await addAdmin(app, 'm18')
    const entryHead = {
      companyId: staff.companyId,
      userId: staff.userId,
      now: 5,
      status: 0 as const,
      intent: 'i',
      requestId: '',
    }
    const company = { id: customer.companyId, actor: 'm18' }
    const scope = { role: 'portal_app', companyId: staff.companyId } as const
    const fence = await runInTransaction(app, scope, async (db) => {
      await addAuditEntries(db, entryHead, [{ ...createNote('update'), company }])
      const { rows } = await sql<{ company: string }>`select current_setting('app.company') as company`.execute(db)
      return rows[0]?.company
    })
    expect(fence).toBe(String(staff.companyId))
    const row = await runAsSystem(app, (db) => db.selectFrom('audit_entry').selectAll().executeTakeFirstOrThrow())
    expect(row).toMatchObject({
      company_id: customer.companyId,
      actor_company_id: staff.companyId,
      exec_user_id: null,
      exec_user_name: '',
      actor: { user_id: staff.userId, user_name: 'admin' },
    })
    const leaf = readLeaf(row.leaf)
    expect(leaf).toMatchObject({ user_id: null, user_name: '', actor_company: 'm18' })
    expect(leaf.actor_hash).toMatch(/^[0-9a-f]{64}$/)
    expect(toCanonicalJson({ ...row.actor })).not.toBe('{}')
    await integrate(app)
    await bypassPolicies(app.database, async (db) => {
      await sql`update audit_entry set actor = jsonb_set(actor, '{user_name}', '"somebody else"')`.execute(db)
    })
    expect(await runAsSystem(app, (db) => findBrokenEntries(app, db))).toEqual([
      { company_id: customer.companyId, id: row.id },
    ])
  })
})
