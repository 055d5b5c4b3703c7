/** Witnesses outside the database: checkpoints by mail, and what a restore says of itself. */
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { toBase64 } from '#domain/audit-log/base64.ts'
import { followHandovers, openCheckpoint, openHandover } from '#domain/audit-log/checkpoint.ts'
import { fingerprintOf, verifierKeyOf } from '#domain/audit-log/note.ts'
import { readConfig } from '#server/config/config.ts'
import type { AppContext } from '#server/context/context.ts'
import { newestCheckpoint } from '#server/db/audit/audit-log.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { beginEpoch } from '#server/use-cases/audit/begin-epoch.ts'
import { changeKey } from '#server/use-cases/audit/change-key.ts'
import { brokenEntries } from '#server/use-cases/audit/check-log.ts'
import { keyOf, logsName, nextKeyOf, originOf, signingSeed } from '#server/use-cases/audit/log-identity.ts'
import { mailCheckpoints, weekMs } from '#server/use-cases/audit/mail-checkpoints.ts'
import { handoversTo } from '#server/use-cases/audit/proofs.ts'
import type { AskedMail } from '#server/use-cases/mail/mail-kinds.ts'
import { mailNow } from '#server/use-cases/mail-words/compose-mail.ts'
import { writeMany } from '#tests/support/audit-trail/audit-entries.ts'
import { onBothEngines, pastPolicies } from '#tests/support/server/database.ts'
import { addAdmin, system } from '#tests/support/server/people.ts'

const asSystem = <T>(app: AppContext, work: Parameters<typeof inTransaction<T>>[2]) => inTransaction(app, system, work)

onBothEngines('a witness of the audit trail', (the) => {
  it('is mailed once a week, to admins who want mails, as long as there is news', async () => {
    let now = Date.now()
    const app = { ...the, clock: () => now }
    const { companyId, userId } = await addAdmin(app, 'acme')
    await asSystem(app, (db) => db.updateTable('portal_user').set({ alert: true }).where('id', '=', userId).execute())
    await pastPolicies(the.database, async (db) => {
      await sql`update company set create_time = ${now}`.execute(db)
    })
    await writeMany(app, { companyId, count: 3, at: now })
    await integrate(app)
    expect(await mailCheckpoints(app)).toBe(0)
    now += weekMs + 1
    expect(await mailCheckpoints(app)).toBe(1)
    expect(await mailCheckpoints(app)).toBe(0)
    now += weekMs
    expect(await mailCheckpoints(app)).toBe(0)
    await writeMany(app, { companyId, count: 1, at: now })
    await integrate(app)
    expect(await mailCheckpoints(app)).toBe(1)

    const asked = await asSystem(app, async (db) => {
      const rows = await db
        .selectFrom('job')
        .select('input')
        .where('kind', '=', 'send-mail')
        .orderBy('create_time')
        .execute()
      return rows.map(({ input }) => input as AskedMail)
    })
    const mails = await asSystem(app, async (db) => [
      await mailNow(db, app, asked[0]!),
      await mailNow(db, app, asked[1]!),
    ])
    const [first, second] = mails.map((mail) => {
      const lines = mail?.text.slice(mail.text.indexOf('portal-audit/'), mail.text.indexOf('\n\n-- \n')) ?? ''
      const [text = '', signature = '', key = ''] = lines.split('\n\n')
      expect(mail?.text).toContain(fingerprintOf(key))
      expect(mail?.html).toContain(signature)
      return openCheckpoint(`${text}\n\n${signature}\n`, key)
    })
    expect([first?.size, second?.size]).toEqual([3, 4])
    // What was mailed stays, whatever comes after it.
    const kept = await asSystem(app, (db) => db.selectFrom('audit_checkpoint').select('size').orderBy('size').execute())
    expect(kept.map(({ size }) => size)).toEqual([3, 4])
  })

  it('fault 13b a mailed checkpoint that was removed shows, whatever was signed before and after', async () => {
    let now = Date.now()
    const app = { ...the, clock: () => now }
    const { companyId, userId } = await addAdmin(app, 'acme')
    await asSystem(app, (db) => db.updateTable('portal_user').set({ alert: true }).where('id', '=', userId).execute())
    await writeMany(app, { companyId, count: 3, at: now })
    await integrate(app)
    now += weekMs + 1
    expect(await mailCheckpoints(app)).toBe(1)
    for (let at = 0; at < 2; at++) {
      await writeMany(app, { companyId, count: 1, at: now })
      await integrate(app)
      now += weekMs
    }
    expect(await asSystem(app, (db) => brokenEntries(app, db))).toEqual([])
    const mailed = await pastPolicies(the.database, async (db) => {
      const { rows } = await sql<{ size: number }>`
        delete from audit_checkpoint where mail_time is not null returning size`.execute(db)
      return rows
    })
    expect(mailed).toEqual([{ size: 3 }])
    expect(await asSystem(app, (db) => brokenEntries(app, db))).toContainEqual({ company_id: companyId, id: 5 })
    await writeMany(app, { companyId, count: 1, at: now })
    await integrate(app)
    expect(await asSystem(app, (db) => brokenEntries(app, db))).not.toEqual([])
  })

  it('says after a restore how large each log was, in its next entry, and counts the restores', async () => {
    const { companyId } = await addAdmin(the, 'acme')
    await writeMany(the, { companyId, count: 300, at: 5 })
    await integrate(the)
    const note = async () => (await asSystem(the, (db) => newestCheckpoint(db, companyId)))?.note ?? ''
    const opened = async () => {
      return openCheckpoint(await note(), verifierKeyOf(originOf(the, companyId), signingSeed(the)))
    }
    const before = await opened()
    expect(before.epoch).toBe(0)
    expect((await beginEpoch(the)).epoch).toBe(1)
    await integrate(the)
    expect(await opened()).toMatchObject({ epoch: 1, size: 301 })
    const entry = await asSystem(the, (db) =>
      db
        .selectFrom('audit_entry')
        .innerJoin('audit_leaf', 'entry_id', 'audit_entry.id')
        .select(['info', 'log_index'])
        .where('operation', '=', 'restore')
        .executeTakeFirstOrThrow(),
    )
    expect(entry).toEqual({
      log_index: 300,
      info: { Epoch: 1, RestoredSize: 300, RestoredRoot: toBase64(before.root) },
    })
    expect((await beginEpoch(the)).epoch).toBe(2)
    await integrate(the)
    expect((await opened()).epoch).toBe(2)
    expect(await asSystem(the, (db) => brokenEntries(the, db))).toEqual([])
  })

  it('names the next key in every log once, is signed by both until the change is over, and by the next one then', async () => {
    const { companyId } = await addAdmin(the, 'acme')
    const { companyId: quiet } = await addAdmin(the, 'quiet')
    for (const id of [companyId, quiet]) await writeMany(the, { companyId: id, count: 3, at: 5 })
    await integrate(the)
    const noteOf = async (id: number) => (await asSystem(the, (db) => newestCheckpoint(db, id)))?.note ?? ''
    const [origin, first] = [originOf(the, companyId), verifierKeyOf(originOf(the, companyId), signingSeed(the))]
    const auditKeyNext = Buffer.alloc(32, 7)
    const changing = { ...the, config: { ...the.config, auditKeyNext } }
    const second = nextKeyOf(changing, companyId) ?? ''
    // What is not signed by the next key yet is not read by it.
    expect(keyOf(changing, companyId, await noteOf(companyId))).toBe(first)
    expect(keyOf(changing, companyId, null)).toBe(first)
    expect(await asSystem(the, (db) => brokenEntries(changing, db))).toEqual([])
    expect(await changeKey(the)).toBe(0)
    expect(await changeKey(changing)).toBeGreaterThanOrEqual(2)
    expect(await changeKey(changing)).toBe(0)
    await integrate(changing)
    for (const id of [companyId, quiet]) {
      const [old, next] = [verifierKeyOf(originOf(the, id), signingSeed(the)), nextKeyOf(changing, id) ?? '']
      expect(openHandover(await noteOf(id), old, next)).toMatchObject({ size: 4, origin: originOf(the, id) })
      expect(keyOf(changing, id, await noteOf(id))).toBe(next)
    }
    const said = await asSystem(the, (db) =>
      db.selectFrom('audit_entry').select(['info', 'company_id']).where('operation', '=', 'config').execute(),
    )
    expect(said).toContainEqual({ company_id: companyId, info: { NextKey: fingerprintOf(second) } })
    expect(await asSystem(the, (db) => brokenEntries(changing, db))).toEqual([])
    // Afterwards: the key is the next one, and the name what it was.
    const changed = { ...the, config: { ...the.config, auditKey: auditKeyNext, auditName: logsName(the) } }
    expect([originOf(changed, companyId), keyOf(changed, companyId, null)]).toEqual([origin, second])
    // A next key that was left standing is none.
    expect(nextKeyOf({ config: { ...changed.config, auditKeyNext } }, companyId)).toBeNull()
    expect(await asSystem(the, (db) => brokenEntries(changed, db))).toEqual([])
    await writeMany(changed, { companyId, count: 1, at: 6 })
    await integrate(changed)
    const last = await noteOf(companyId)
    expect(openCheckpoint(last, second)).toEqual(expect.objectContaining({ size: 5, origin }))
    expect(last).not.toContain('next key')
    expect(() => openCheckpoint(last, first)).toThrow('not signed by')
    // Who knows the first one alone is led on, over a second change too.
    const again = Buffer.alloc(32, 8)
    const rechanging = { ...changed, config: { ...changed.config, auditKeyNext: again } }
    await changeKey(rechanging)
    await integrate(rechanging)
    const rechanged = { ...changed, config: { ...changed.config, auditKey: again } }
    await writeMany(rechanged, { companyId, count: 1, at: 7 })
    await integrate(rechanged)
    const third = keyOf(rechanged, companyId, null)
    const ways = await asSystem(the, (db) => handoversTo(db, companyId, { known: first, key: third }))
    expect(ways).toHaveLength(2)
    expect(followHandovers(ways ?? [], first)).toBe(third)
    expect(await asSystem(the, (db) => handoversTo(db, companyId, { known: third, key: first }))).toBeNull()
    expect(await asSystem(the, (db) => handoversTo(db, quiet, { known: first, key: third }))).toBeNull()
  })
})

it('keeps the name and the key of its logs when the key of the tokens is changed', () => {
  const before = { config: readConfig({ TOKEN_KEY: '11'.repeat(32) }) }
  const changed = { config: readConfig({ TOKEN_KEY: '22'.repeat(32) }) }
  const kept = { config: readConfig({ TOKEN_KEY: '22'.repeat(32), AUDIT_KEY: '11'.repeat(32) }) }
  expect([originOf(kept, 7), signingSeed(kept)]).toEqual([originOf(before, 7), signingSeed(before)])
  expect(originOf(changed, 7)).not.toBe(originOf(before, 7))
  expect(signingSeed(changed)).not.toEqual(signingSeed(before))
  expect(() => readConfig({ AUDIT_KEY: 'short' })).toThrow('AUDIT_KEY must be 32 bytes')
  expect(() => readConfig({ AUDIT_KEY_NEXT: 'short' })).toThrow('AUDIT_KEY_NEXT must be 32 bytes')
  for (const wrong of ['short', 'portal-audit/0011223344556677/7', '00112233445566770'])
    expect(() => readConfig({ AUDIT_NAME: wrong })).toThrow('AUDIT_NAME must be 16 hexadecimal digits')
})
