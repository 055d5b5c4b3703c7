/** Tests the evidence outside the database: checkpoints sent by mail, and entries about a restore or a key change. */
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { toBase64 } from '#domain/audit-log/base64.ts'
import { followHandovers, openCheckpoint, openHandover } from '#domain/audit-log/checkpoint.ts'
import { getFingerprint, createVerifierKey } from '#domain/audit-log/note.ts'
import { readConfig } from '#server/config/config.ts'
import type { AppContext } from '#server/context/context.ts'
import { readLatestCheckpoint } from '#server/db/audit/audit-log.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { beginEpoch } from '#server/use-cases/audit/begin-epoch.ts'
import { recordKeyChange } from '#server/use-cases/audit/change-key.ts'
import { findBrokenEntries } from '#server/use-cases/audit/check-log.ts'
import {
  getVerifierKey,
  getLogsName,
  getNextVerifierKey,
  getLogOrigin,
  getSigningSeed,
} from '#server/use-cases/audit/log-identity.ts'
import { mailCheckpoints, weekMs } from '#server/use-cases/audit/mail-checkpoints.ts'
import { findHandovers } from '#server/use-cases/audit/read-proofs.ts'
import type { QueuedMail } from '#server/use-cases/mail/mail-kinds.ts'
import { composeMail } from '#server/use-cases/mail-words/compose-mail.ts'
import { writeGeneratedEntries } from '#tests/support/audit-trail/audit-entries.ts'
import { onBothEngines, bypassPolicies } from '#tests/support/server/database.ts'
import { addAdmin, system } from '#tests/support/server/people.ts'

const runAsSystem = <T>(app: AppContext, work: Parameters<typeof runInTransaction<T>>[2]) =>
  runInTransaction(app, system, work)

onBothEngines('checkpoints outside the database', (fixture) => {
  it('A checkpoint is mailed once a week to admins with service mails, if there are new entries', async () => {
    let now = Date.now()
    const app = { ...fixture, clock: () => now }
    const { companyId, userId } = await addAdmin(app, 'acme')
    await runAsSystem(app, (db) =>
      db.updateTable('portal_user').set({ alert: true }).where('id', '=', userId).execute(),
    )
    await bypassPolicies(fixture.database, async (db) => {
      await sql`update company set create_time = ${now}`.execute(db)
    })
    await writeGeneratedEntries(app, { companyId, count: 3, startAt: now })
    await integrate(app)
    expect(await mailCheckpoints(app)).toBe(0)
    now += weekMs + 1
    expect(await mailCheckpoints(app)).toBe(1)
    expect(await mailCheckpoints(app)).toBe(0)
    now += weekMs
    expect(await mailCheckpoints(app)).toBe(0)
    await writeGeneratedEntries(app, { companyId, count: 1, startAt: now })
    await integrate(app)
    expect(await mailCheckpoints(app)).toBe(1)

    const queuedMails = await runAsSystem(app, async (db) => {
      const rows = await db
        .selectFrom('job')
        .select('input')
        .where('kind', '=', 'send-mail')
        .orderBy('create_time')
        .execute()
      return rows.map(({ input }) => input as QueuedMail)
    })
    const mails = await runAsSystem(app, async (db) => [
      await composeMail(db, app, queuedMails[0]!),
      await composeMail(db, app, queuedMails[1]!),
    ])
    const [first, second] = mails.map((composedMail) => {
      const mail = composedMail?.message
      const lines = mail?.text.slice(mail.text.indexOf('portal-audit/'), mail.text.indexOf('\n\n-- \n')) ?? ''
      const [text = '', signature = '', key = ''] = lines.split('\n\n')
      expect(mail?.text).toContain(getFingerprint(key))
      expect(mail?.html).toContain(signature)
      return openCheckpoint(`${text}\n\n${signature}\n`, key)
    })
    expect([first?.size, second?.size]).toEqual([3, 4])
    // Mailed checkpoints are never deleted, even after later ones.
    const storedCheckpoints = await runAsSystem(app, (db) =>
      db.selectFrom('audit_checkpoint').select('size').orderBy('size').execute(),
    )
    expect(storedCheckpoints.map(({ size }) => size)).toEqual([3, 4])
  })

  it('The removal of a mailed checkpoint is detected (fault 13b)', async () => {
    let now = Date.now()
    const app = { ...fixture, clock: () => now }
    const { companyId, userId } = await addAdmin(app, 'acme')
    await runAsSystem(app, (db) =>
      db.updateTable('portal_user').set({ alert: true }).where('id', '=', userId).execute(),
    )
    await writeGeneratedEntries(app, { companyId, count: 3, startAt: now })
    await integrate(app)
    now += weekMs + 1
    expect(await mailCheckpoints(app)).toBe(1)
    for (let index = 0; index < 2; index++) {
      await writeGeneratedEntries(app, { companyId, count: 1, startAt: now })
      await integrate(app)
      now += weekMs
    }
    expect(await runAsSystem(app, (db) => findBrokenEntries(app, db))).toEqual([])
    const deletedCheckpoints = await bypassPolicies(fixture.database, async (db) => {
      const { rows } = await sql<{ size: number }>`
        delete from audit_checkpoint where mail_time is not null returning size`.execute(db)
      return rows
    })
    expect(deletedCheckpoints).toEqual([{ size: 3 }])
    expect(await runAsSystem(app, (db) => findBrokenEntries(app, db))).toContainEqual({ company_id: companyId, id: 5 })
    await writeGeneratedEntries(app, { companyId, count: 1, startAt: now })
    await integrate(app)
    expect(await runAsSystem(app, (db) => findBrokenEntries(app, db))).not.toEqual([])
  })

  it('A restore raises the epoch, and the next entry of a log records the restored size', async () => {
    const { companyId } = await addAdmin(fixture, 'acme')
    await writeGeneratedEntries(fixture, { companyId, count: 300, startAt: 5 })
    await integrate(fixture)
    const readNote = async () => (await runAsSystem(fixture, (db) => readLatestCheckpoint(db, companyId)))?.note ?? ''
    const openLatestCheckpoint = async () => {
      return openCheckpoint(
        await readNote(),
        createVerifierKey(getLogOrigin(fixture, companyId), getSigningSeed(fixture)),
      )
    }
    const checkpointBefore = await openLatestCheckpoint()
    expect(checkpointBefore.epoch).toBe(0)
    expect((await beginEpoch(fixture)).epoch).toBe(1)
    await integrate(fixture)
    expect(await openLatestCheckpoint()).toMatchObject({ epoch: 1, size: 301 })
    const entry = await runAsSystem(fixture, (db) =>
      db
        .selectFrom('audit_entry')
        .innerJoin('audit_leaf', 'entry_id', 'audit_entry.id')
        .select(['info', 'log_index'])
        .where('operation', '=', 'restore')
        .executeTakeFirstOrThrow(),
    )
    expect(entry).toEqual({
      log_index: 300,
      info: { Epoch: 1, RestoredSize: 300, RestoredRoot: toBase64(checkpointBefore.root) },
    })
    expect((await beginEpoch(fixture)).epoch).toBe(2)
    await integrate(fixture)
    expect((await openLatestCheckpoint()).epoch).toBe(2)
    expect(await runAsSystem(fixture, (db) => findBrokenEntries(fixture, db))).toEqual([])
  })

  it('A key change is recorded once per log, signed by both keys until it ends, then by the new key', async () => {
    const { companyId } = await addAdmin(fixture, 'acme')
    const { companyId: quietCompanyId } = await addAdmin(fixture, 'quiet')
    for (const id of [companyId, quietCompanyId])
      await writeGeneratedEntries(fixture, { companyId: id, count: 3, startAt: 5 })
    await integrate(fixture)
    const readNote = async (id: number) =>
      (await runAsSystem(fixture, (db) => readLatestCheckpoint(db, id)))?.note ?? ''
    const [origin, first] = [
      getLogOrigin(fixture, companyId),
      createVerifierKey(getLogOrigin(fixture, companyId), getSigningSeed(fixture)),
    ]
    const auditKeyNext = Buffer.alloc(32, 7)
    const changingContext = { ...fixture, config: { ...fixture.config, auditKeyNext } }
    const second = getNextVerifierKey(changingContext, companyId) ?? ''
    // A checkpoint that the next key has not signed yet is verified with the current key.
    expect(getVerifierKey(changingContext, companyId, await readNote(companyId))).toBe(first)
    expect(getVerifierKey(changingContext, companyId, null)).toBe(first)
    expect(await runAsSystem(fixture, (db) => findBrokenEntries(changingContext, db))).toEqual([])
    expect(await recordKeyChange(fixture)).toBe(0)
    expect(await recordKeyChange(changingContext)).toBeGreaterThanOrEqual(2)
    expect(await recordKeyChange(changingContext)).toBe(0)
    await integrate(changingContext)
    for (const id of [companyId, quietCompanyId]) {
      const [oldKey, nextKey] = [
        createVerifierKey(getLogOrigin(fixture, id), getSigningSeed(fixture)),
        getNextVerifierKey(changingContext, id) ?? '',
      ]
      expect(openHandover(await readNote(id), oldKey, nextKey)).toMatchObject({
        size: 4,
        origin: getLogOrigin(fixture, id),
      })
      expect(getVerifierKey(changingContext, id, await readNote(id))).toBe(nextKey)
    }
    const configEntries = await runAsSystem(fixture, (db) =>
      db.selectFrom('audit_entry').select(['info', 'company_id']).where('operation', '=', 'config').execute(),
    )
    expect(configEntries).toContainEqual({ company_id: companyId, info: { NextKey: getFingerprint(second) } })
    expect(await runAsSystem(fixture, (db) => findBrokenEntries(changingContext, db))).toEqual([])
    // After the key change: the next key is in use, and the name of the log is unchanged.
    const changedContext = {
      ...fixture,
      config: { ...fixture.config, auditKey: auditKeyNext, auditName: getLogsName(fixture) },
    }
    expect([getLogOrigin(changedContext, companyId), getVerifierKey(changedContext, companyId, null)]).toEqual([
      origin,
      second,
    ])
    // A configured next key that equals the current key is ignored.
    expect(getNextVerifierKey({ config: { ...changedContext.config, auditKeyNext } }, companyId)).toBeNull()
    expect(await runAsSystem(fixture, (db) => findBrokenEntries(changedContext, db))).toEqual([])
    await writeGeneratedEntries(changedContext, { companyId, count: 1, startAt: 6 })
    await integrate(changedContext)
    const lastNote = await readNote(companyId)
    expect(openCheckpoint(lastNote, second)).toEqual(expect.objectContaining({ size: 5, origin }))
    expect(lastNote).not.toContain('next key')
    expect(() => openCheckpoint(lastNote, first)).toThrow('not signed by')
    // A client that has only the first key can verify the current key, also after a second key change.
    const thirdKey = Buffer.alloc(32, 8)
    const rechangingContext = { ...changedContext, config: { ...changedContext.config, auditKeyNext: thirdKey } }
    await recordKeyChange(rechangingContext)
    await integrate(rechangingContext)
    const rechangedContext = { ...changedContext, config: { ...changedContext.config, auditKey: thirdKey } }
    await writeGeneratedEntries(rechangedContext, { companyId, count: 1, startAt: 7 })
    await integrate(rechangedContext)
    const third = getVerifierKey(rechangedContext, companyId, null)
    const handovers = await runAsSystem(fixture, (db) => findHandovers(db, companyId, { knownKey: first, key: third }))
    expect(handovers).toHaveLength(2)
    expect(followHandovers(handovers ?? [], first)).toBe(third)
    expect(await runAsSystem(fixture, (db) => findHandovers(db, companyId, { knownKey: third, key: first }))).toBeNull()
    expect(
      await runAsSystem(fixture, (db) => findHandovers(db, quietCompanyId, { knownKey: first, key: third })),
    ).toBeNull()
  })
})

it('A log keeps its name and key when the token key is changed', () => {
  const configBefore = { config: readConfig({ TOKEN_KEY: '11'.repeat(32) }) }
  const changedConfig = { config: readConfig({ TOKEN_KEY: '22'.repeat(32) }) }
  const unchangedConfig = { config: readConfig({ TOKEN_KEY: '22'.repeat(32), AUDIT_KEY: '11'.repeat(32) }) }
  expect([getLogOrigin(unchangedConfig, 7), getSigningSeed(unchangedConfig)]).toEqual([
    getLogOrigin(configBefore, 7),
    getSigningSeed(configBefore),
  ])
  expect(getLogOrigin(changedConfig, 7)).not.toBe(getLogOrigin(configBefore, 7))
  expect(getSigningSeed(changedConfig)).not.toEqual(getSigningSeed(configBefore))
  expect(() => readConfig({ AUDIT_KEY: 'short' })).toThrow('AUDIT_KEY must be 32 bytes')
  expect(() => readConfig({ AUDIT_KEY_NEXT: 'short' })).toThrow('AUDIT_KEY_NEXT must be 32 bytes')
  for (const invalidName of ['short', 'portal-audit/0011223344556677/7', '00112233445566770'])
    expect(() => readConfig({ AUDIT_NAME: invalidName })).toThrow('AUDIT_NAME must be 16 hexadecimal digits')
})
