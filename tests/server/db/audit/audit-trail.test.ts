import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { canonical, isCanonical } from '#domain/audit-log/canonical.ts'
import { openCheckpoint } from '#domain/audit-log/checkpoint.ts'
import { leafHash } from '#domain/audit-log/hash.ts'
import { readLeaf } from '#domain/audit-log/leaf.ts'
import { verifierKeyOf } from '#domain/audit-log/note.ts'
import { appendLeaves, emptyEdge } from '#domain/audit-log/tree.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import { newestCheckpoint } from '#server/db/audit/audit-log.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { brokenEntries } from '#server/use-cases/audit/check-log.ts'
import { originOf, signingSeed } from '#server/use-cases/audit/log-identity.ts'
import { onBothEngines, pastPolicies } from '#tests/support/server/database.ts'
import { addAdmin, system } from '#tests/support/server/people.ts'

const note = (operation: string) => ({ code: 'user' as const, operation, info: { UserName: '陈美玲', n: 1 } })

async function story(app: AppContext, entries = 12) {
  const { companyId, userId } = await addAdmin(app, 'acme')
  const entry = { companyId, userId, now: 5, status: 0 as const, intent: null, requestId: 'r' }
  const scope = { role: 'portal_app', companyId } as const
  await Promise.all(
    Array.from({ length: entries - 2 }, (_, at) =>
      inTransaction(app, scope, (db) => addToTrail(db, entry, [note(`op${at}`)])),
    ),
  )
  await inTransaction(app, scope, (db) => addToTrail(db, entry, [note('first of two'), note('second of two')]))
  return { companyId, entry, scope, broken: () => inTransaction(app, system, (db) => brokenEntries(app, db)) }
}

const asSystem = <T>(app: AppContext, work: Parameters<typeof inTransaction<T>>[2]) => inTransaction(app, system, work)

const leavesInOrder = (app: AppContext, companyId: number) =>
  asSystem(app, async (db) => {
    const { rows } = await sql<{ log_index: number; id: number; leaf: string }>`
      select place.log_index, entry.id, entry.leaf from audit_leaf place join audit_entry entry on entry.id = place.entry_id
      where place.company_id = ${companyId} order by place.log_index`.execute(db)
    return rows
  })

onBothEngines('the audit trail', (the) => {
  it('fixes the bytes of an entry when it is written: canonical, with its id, its writer and a salt', async () => {
    const { companyId, entry } = await story(the)
    const [row, next] = await asSystem(the, (db) => db.selectFrom('audit_entry').selectAll().orderBy('id').execute())
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
    ['quotes and signs', '"\\\b\f\n\r\t\u0001\u001f\u007f</script>\u2028'],
    ['what looks like the places that are cut', 'id 0 "name" ","user_name":"'],
    ['a lone surrogate', 'a\ud800b'],
    ['another alphabet', '陈美玲 𝒳 é'],
  ])('stays canonical with %s in names and values', async (_, text) => {
    const { companyId, userId } = await addAdmin(the, 'acme')
    const head = { companyId, userId, now: 5, status: 0 as const, intent: null, requestId: text }
    await pastPolicies(the.database, async (db) => {
      await sql`update portal_user set name = ${text.toWellFormed()} where id = ${userId}`.execute(db)
    })
    const entry = { code: 'user' as const, operation: 'update', info: { UserName: text, half: 0.5, big: 2 ** 60 } }
    const changes = [{ field: 'name', before: undefined, after: { [text]: [text, 1.5, null] } }]
    await asSystem(the, (db) => addToTrail(db, head, [{ ...entry, changes }]))
    const row = await asSystem(the, (db) => db.selectFrom('audit_entry').selectAll().executeTakeFirstOrThrow())
    expect(isCanonical(row.leaf)).toBe(true)
    const leaf = readLeaf(row.leaf)
    const whole = text.toWellFormed()
    expect(leaf).toMatchObject({ id: row.id, user_name: whole, request_id: whole })
    expect(leaf.info).toEqual({ UserName: whole, half: '0.5', big: String(2 ** 60) })
    expect(leaf.changes).toEqual([{ field: 'name', before: null, after: { [whole]: [whole, '1.5', null] } }])
  })

  it('gives every entry one place in the log of its company, and signs what it comes to', async () => {
    const { companyId, broken } = await story(the, 12)
    const other = await addAdmin(the, 'globex')
    const entry = {
      companyId: other.companyId,
      userId: other.userId,
      now: 5,
      status: -1 as const,
      intent: 'i',
      requestId: '',
    }
    await asSystem(the, (db) => addToTrail(db, entry, [note('other company')]))
    expect(await broken()).toEqual([])
    expect(await integrate(the)).toBe(13)
    expect(await integrate(the)).toBe(0)
    expect(await broken()).toEqual([])
    const leaves = await leavesInOrder(the, companyId)
    expect(leaves.map(({ log_index }) => log_index)).toEqual([...Array(12).keys()])
    expect(new Set(leaves.map(({ id }) => id)).size).toBe(12)
    const { root } = appendLeaves(
      emptyEdge,
      leaves.map(({ leaf }) => leafHash(leaf)),
    )
    const newest = await asSystem(the, (db) => newestCheckpoint(db, companyId))
    const origin = originOf(the, companyId)
    const said = openCheckpoint(newest?.note, verifierKeyOf(origin, signingSeed(the)))
    expect(said).toEqual({ origin, size: 12, root, epoch: 0 })
  })

  it('goes on where it was, over the edge of a tile', async () => {
    const { companyId, entry, scope, broken } = await story(the, 12)
    await integrate(the)
    await inTransaction(the, scope, (db) =>
      addToTrail(
        db,
        entry,
        Array.from({ length: 300 }, (_, at) => note(`n${at}`)),
      ),
    )
    expect(await integrate(the)).toBe(300)
    await inTransaction(the, scope, (db) => addToTrail(db, entry, [note('last')]))
    await integrate(the)
    expect(await broken()).toEqual([])
    const leaves = await leavesInOrder(the, companyId)
    const newest = await asSystem(the, (db) => newestCheckpoint(db, companyId))
    expect(newest?.size).toBe(313)
    const { root } = appendLeaves(
      emptyEdge,
      leaves.map(({ leaf }) => leafHash(leaf)),
    )
    const key = verifierKeyOf(originOf(the, companyId), signingSeed(the))
    expect(openCheckpoint(newest?.note, key).root).toEqual(root)
  })

  it('keeps the entries of other companies from nothing where somebody changed one log', async () => {
    const { companyId, entry } = await story(the, 12)
    await integrate(the)
    const other = await addAdmin(the, 'globex')
    await pastPolicies(the.database, async (db) => {
      await sql`update audit_tile set hashes = sha256('x')`.execute(db)
    })
    const later = { ...entry, companyId: other.companyId, userId: other.userId }
    await asSystem(the, (db) => addToTrail(db, entry, [note('behind a broken log')]))
    await asSystem(the, (db) => addToTrail(db, later, [note('of another company')]))
    expect(await integrate(the)).toBe(1)
    expect(await leavesInOrder(the, other.companyId)).toHaveLength(1)
    expect(await leavesInOrder(the, companyId)).toHaveLength(12)
    const broken = await asSystem(the, (db) => brokenEntries(the, db, { most: 100 }))
    expect(new Set(broken.map(({ company_id }) => company_id))).toEqual(new Set([companyId]))
  })

  it('keeps the last checkpoint of a day, and otherwise the newest alone', async () => {
    const day = 86_400_000
    let now = Date.parse('2026-11-20T02:00:00Z')
    const app = { ...the, clock: () => now }
    const { companyId, entry, scope } = await story(app, 12)
    const add = async () => {
      await inTransaction(app, scope, (db) => addToTrail(db, entry, [note('more')]))
      await integrate(app)
    }
    await integrate(app)
    await add()
    now += day
    await add()
    await add()
    const kept = await asSystem(app, (db) =>
      db
        .selectFrom('audit_checkpoint')
        .select(['size', 'kept'])
        .where('company_id', '=', companyId)
        .orderBy('size')
        .execute(),
    )
    expect(kept).toEqual([
      { size: 13, kept: true },
      { size: 15, kept: false },
    ])
  })

  it('cannot be changed, emptied or thinned by any role of the application', async () => {
    const { scope } = await story(the)
    await integrate(the)
    for (const as of [scope, system])
      for (const statement of [
        sql`update audit_entry set info = '{}'`,
        sql`delete from audit_entry`,
        sql`truncate audit_entry`,
        sql`update audit_leaf set log_index = log_index + 100`,
        sql`delete from audit_leaf`,
        sql`update audit_tile set hashes = sha256('x')`,
        sql`delete from audit_tile`,
      ])
        await expect(inTransaction(the, as, (db) => statement.execute(db))).rejects.toMatchObject({ code: '42501' })
    await expect(
      inTransaction(the, scope, (db) => sql`update audit_tile set hashes = hashes || sha256('x')`.execute(db)),
    ).rejects.toMatchObject({ code: '42501' })
  })

  it.each([
    ['a changed copy beside the leaf', sql`update audit_entry set exec_user_name = 'nobody' where id = 6`, 6],
    ['a text that nobody finds any more', sql`update audit_entry set search = '' where id = 6`, 6],
    ['a changed leaf', sql`update audit_entry set leaf = replace(leaf, 'op', 'ap') where id = 6`, 6],
    ['a removed entry', sql`delete from audit_entry where id = 6`, 5],
    ['a removed place', sql`delete from audit_leaf where entry_id = 6`, 5],
    [
      'an entry that was slipped in',
      sql`insert into audit_entry select 99, company_id, null, null, code, operation, exec_user_id,
      exec_user_name, end_time, status, info, intent, request_id, search, leaf from audit_entry where id = 6`,
      99,
    ],
    [
      'two entries that changed places',
      sql`with one as (update audit_leaf set log_index = 1000 where entry_id = 6 returning 1)
      select * from one`,
      5,
    ],
    ['a changed hash in a tile', sql`update audit_tile set hashes = overlay(hashes placing sha256('x') from 161)`, 6],
    [
      'a cut tail',
      sql`with cut as (delete from audit_leaf where entry_id = 12) delete from audit_entry where id = 12`,
      11,
    ],
    ['a forged checkpoint', sql`update audit_checkpoint set note = replace(note, '12', '11')`, 12],
    ['no checkpoint', sql`delete from audit_checkpoint`, 12],
  ])('shows %s', async (_, tamper, at) => {
    const { broken } = await story(the)
    await integrate(the)
    expect(await broken()).toEqual([])
    await pastPolicies(the.database, async (db) => void (await tamper.execute(db)))
    expect((await broken()).map(({ id }) => id)).toContain(at)
  })

  it('writes an act for another company into that company’s log, without the name of who acted', async () => {
    const customer = await addAdmin(the, 'acme')
    const staff = await addAdmin(the, 'm18')
    const head = {
      companyId: staff.companyId,
      userId: staff.userId,
      now: 5,
      status: 0 as const,
      intent: 'i',
      requestId: '',
    }
    const company = { id: customer.companyId, actor: 'm18' }
    const scope = { role: 'portal_app', companyId: staff.companyId } as const
    const fence = await inTransaction(the, scope, async (db) => {
      await addToTrail(db, head, [{ ...note('update'), company }])
      const { rows } = await sql<{ company: string }>`select current_setting('app.company') as company`.execute(db)
      return rows[0]?.company
    })
    expect(fence).toBe(String(staff.companyId))
    const row = await asSystem(the, (db) => db.selectFrom('audit_entry').selectAll().executeTakeFirstOrThrow())
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
    expect(canonical({ ...row.actor })).not.toBe('{}')
    await integrate(the)
    await pastPolicies(the.database, async (db) => {
      await sql`update audit_entry set actor = jsonb_set(actor, '{user_name}', '"somebody else"')`.execute(db)
    })
    expect(await asSystem(the, (db) => brokenEntries(the, db))).toEqual([
      { company_id: customer.companyId, id: row.id },
    ])
  })
})
