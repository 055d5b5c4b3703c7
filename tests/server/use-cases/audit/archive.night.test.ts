/** Tests that only entries that are older than the retention period leave the database (D86). */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AppContext } from '#server/context/context.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { findArchiveFault, archiveOldEntries } from '#server/use-cases/audit/archive.ts'
import { findBrokenEntries } from '#server/use-cases/audit/check-log.ts'
import { writeGeneratedEntries } from '#tests/support/audit-trail/audit-entries.ts'
import { onBothEngines } from '#tests/support/server/database.ts'
import { openTestFiles } from '#tests/support/server/files.ts'
import { addAdmin, system } from '#tests/support/server/people.ts'

const dayMs = 86_400_000
const getTimeYearsAgo = (yearCount: number) => Date.now() - yearCount * 366 * dayMs

onBothEngines('the archive of the audit trail', (fixture) => {
  let app: AppContext
  let companyId: number
  beforeEach(async () => {
    const filesDir = await mkdtemp(join(tmpdir(), 'portal-archive-'))
    app = { ...fixture, config: { ...fixture.config, filesDir }, files: openTestFiles({ filesDir }) }
    companyId = (await addAdmin(fixture, 'acme')).companyId
  })
  afterEach(() => rm(app.config.filesDir, { recursive: true, force: true }))

  async function write(count: number, startAt: number): Promise<void> {
    await writeGeneratedEntries(app, { companyId, count, startAt })
    await integrate(app)
  }
  const readRemainingEntries = () =>
    runInTransaction(app, system, async (db) => {
      const { rows } = await sql<{ entries: number; first: number; last: number }>`
        select count(*)::integer as entries, min(log_index) as first, max(log_index) as last from audit_leaf`.execute(
        db,
      )
      return rows[0]
    })
  const findBroken = () => runInTransaction(app, system, (db) => findBrokenEntries(app, db))

  it('removes full tiles of old entries, keeps them provable, and writes an audit entry', async () => {
    await write(600, getTimeYearsAgo(8))
    await write(10, getTimeYearsAgo(1))
    expect(await archiveOldEntries(app)).toBe(512)
    expect(await archiveOldEntries(app)).toBe(0)
    await integrate(app)
    expect(await readRemainingEntries()).toEqual({ entries: 99, first: 512, last: 610 })
    expect(await findBroken()).toEqual([])
    const [name = ''] = await readdir(join(app.config.filesDir, 'audit-archive'))
    expect(name).toBe(`audit-${companyId}-0-512.ndjson`)
    const text = await readFile(join(app.config.filesDir, 'audit-archive', name), 'utf8')
    const archivedRange = { companyId, from: 0, to: 512 }
    expect(await runInTransaction(app, system, (db) => findArchiveFault(db, archivedRange, text))).toBeNull()
    const changedText = text.replace('"n\\":7}', '"n\\":8}')
    expect(changedText).not.toBe(text)
    expect(await runInTransaction(app, system, (db) => findArchiveFault(db, archivedRange, changedText))).toBe(
      'entry 7 differs',
    )
    const shortenedText = text.split('\n').toSpliced(5, 1).join('\n')
    expect(await runInTransaction(app, system, (db) => findArchiveFault(db, archivedRange, shortenedText))).toBe(
      'it has 511 leaves',
    )
    const entry = await runInTransaction(app, system, (db) =>
      db.selectFrom('audit_entry').select('info').where('operation', '=', 'remove').executeTakeFirstOrThrow(),
    )
    expect(entry.info).toMatchObject({ File: name, From: 0, To: 511 })
    // Nothing more is archived, because the next tile contains recent entries.
    await write(700, getTimeYearsAgo(8))
    expect(await archiveOldEntries(app)).toBe(0)
  })

  it('can archive all entries of a log, which then continues at the same index', async () => {
    await write(512, getTimeYearsAgo(8))
    // Two nodes archive at the same time.
    const archivedCounts = await Promise.all([archiveOldEntries(app), archiveOldEntries(app)])
    expect(archivedCounts.toSorted((a, b) => a - b)).toEqual([0, 512])
    await write(5, getTimeYearsAgo(1))
    expect(await readRemainingEntries()).toEqual({ entries: 6, first: 512, last: 517 })
    expect(await findBroken()).toEqual([])
  })

  it('archives nothing if it is turned off, and nothing after a recent entry', async () => {
    await write(100, getTimeYearsAgo(8))
    await write(1, getTimeYearsAgo(1))
    await write(400, getTimeYearsAgo(8))
    expect(await archiveOldEntries(app)).toBe(0)
    await write(300, getTimeYearsAgo(9))
    app = { ...app, config: { ...app.config, auditYears: 0 } }
    expect(await archiveOldEntries(app)).toBe(0)
    expect((await readRemainingEntries())?.first).toBe(0)
  })

  it('archives nothing if the file cannot be written', async () => {
    await write(300, getTimeYearsAgo(8))
    await writeFile(join(app.config.filesDir, 'audit-archive'), 'not a folder')
    await expect(archiveOldEntries(app)).rejects.toThrow()
    expect((await readRemainingEntries())?.entries).toBe(300)
  })

  it.each([
    ['a part of a tile', sql`0, 100`],
    ['tiles that are not the oldest', sql`256, 512`],
    ['entries that do not exist', sql`0, 1024`],
    ['recent entries', sql`0, 768`],
  ])('cannot be made to remove %s', async (_, range) => {
    await write(700, getTimeYearsAgo(8))
    await write(100, Date.now())
    const removeArchived = (role: 'portal_system' | 'portal_app') =>
      runInTransaction(app, role === 'portal_system' ? system : { role, companyId }, (db) =>
        sql`select remove_archived_audit(${companyId}::integer, ${range}, ${'0'.repeat(64)}, 1)`.execute(db),
      )
    await expect(removeArchived('portal_system')).rejects.toMatchObject({ code: '42501' })
    await expect(removeArchived('portal_app')).rejects.toMatchObject({ code: '42501' })
    expect((await readRemainingEntries())?.entries).toBe(800)
  })

  it('does not let a role delete entries by setting the archive flag', async () => {
    await write(300, getTimeYearsAgo(8))
    await expect(
      runInTransaction(app, system, async (db) => {
        await sql`select set_config('app.audit_archived', 'audit_entry', true)`.execute(db)
        await sql`delete from audit_entry`.execute(db)
      }),
    ).rejects.toMatchObject({ code: '42501' })
  })
})
