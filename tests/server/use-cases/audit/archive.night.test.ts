/** What is older than it must be kept leaves the database, and nothing else ever does (D86). */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AppContext } from '#server/context/context.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { archiveFault, archiveFolder, archiveOld } from '#server/use-cases/audit/archive.ts'
import { brokenEntries } from '#server/use-cases/audit/check-log.ts'
import { writeMany } from '#tests/support/audit-trail/audit-entries.ts'
import { onBothEngines } from '#tests/support/server/database.ts'
import { addAdmin, system } from '#tests/support/server/people.ts'

const dayMs = 86_400_000
const years = (count: number) => Date.now() - count * 366 * dayMs

onBothEngines('the archive of the audit trail', (the) => {
  let app: AppContext
  let companyId: number
  beforeEach(async () => {
    app = { ...the, config: { ...the.config, filesDir: await mkdtemp(join(tmpdir(), 'portal-archive-')) } }
    companyId = (await addAdmin(the, 'acme')).companyId
  })
  afterEach(() => rm(app.config.filesDir, { recursive: true, force: true }))

  async function write(count: number, at: number): Promise<void> {
    await writeMany(app, { companyId, count, at })
    await integrate(app)
  }
  const left = () =>
    inTransaction(app, system, async (db) => {
      const { rows } = await sql<{ entries: number; first: number; last: number }>`
        select count(*)::integer as entries, min(log_index) as first, max(log_index) as last from audit_leaf`.execute(
        db,
      )
      return rows[0]
    })
  const broken = () => inTransaction(app, system, (db) => brokenEntries(app, db))

  it('takes whole tiles of old entries, keeps them provable, and says so in the log', async () => {
    await write(600, years(8))
    await write(10, years(1))
    expect(await archiveOld(app)).toBe(512)
    expect(await archiveOld(app)).toBe(0)
    await integrate(app)
    expect(await left()).toEqual({ entries: 99, first: 512, last: 610 })
    expect(await broken()).toEqual([])
    const [name = ''] = await readdir(archiveFolder(app))
    expect(name).toBe(`audit-${companyId}-0-512.ndjson`)
    const text = await readFile(join(archiveFolder(app), name), 'utf8')
    const stretch = { companyId, from: 0, to: 512 }
    expect(await inTransaction(app, system, (db) => archiveFault(db, stretch, text))).toBeNull()
    const changed = text.replace('"n\\":7}', '"n\\":8}')
    expect(changed).not.toBe(text)
    expect(await inTransaction(app, system, (db) => archiveFault(db, stretch, changed))).toBe('entry 7')
    const short = text.split('\n').toSpliced(5, 1).join('\n')
    expect(await inTransaction(app, system, (db) => archiveFault(db, stretch, short))).toBe('511 leaves')
    const entry = await inTransaction(app, system, (db) =>
      db.selectFrom('audit_entry').select('info').where('operation', '=', 'remove').executeTakeFirstOrThrow(),
    )
    expect(entry.info).toMatchObject({ File: name, From: 0, To: 511 })
    // And goes on from there once more are old enough.
    await write(700, years(8))
    expect(await archiveOld(app)).toBe(0)
  })

  it('of all that a log has leaves a log that goes on where it was', async () => {
    await write(512, years(8))
    // By two nodes at once.
    const gone = await Promise.all([archiveOld(app), archiveOld(app)])
    expect(gone.toSorted((a, b) => a - b)).toEqual([0, 512])
    await write(5, years(1))
    expect(await left()).toEqual({ entries: 6, first: 512, last: 517 })
    expect(await broken()).toEqual([])
  })

  it('takes nothing where the setting says never, and nothing that stands behind a young one', async () => {
    await write(100, years(8))
    await write(1, years(1))
    await write(400, years(8))
    expect(await archiveOld(app)).toBe(0)
    await write(300, years(9))
    app = { ...app, config: { ...app.config, auditYears: 0 } }
    expect(await archiveOld(app)).toBe(0)
    expect((await left())?.first).toBe(0)
  })

  it('takes nothing where the file cannot be written', async () => {
    await write(300, years(8))
    await writeFile(archiveFolder(app), 'not a folder')
    await expect(archiveOld(app)).rejects.toThrow()
    expect((await left())?.entries).toBe(300)
  })

  it.each([
    ['half a tile', sql`0, 100`],
    ['not from the beginning', sql`256, 512`],
    ['what is not there', sql`0, 1024`],
    ['what is young', sql`0, 768`],
  ])('cannot be told to remove %s', async (_, range) => {
    await write(700, years(8))
    await write(100, Date.now())
    const remove = (role: 'portal_system' | 'portal_app') =>
      inTransaction(app, role === 'portal_system' ? system : { role, companyId }, (db) =>
        sql`select remove_archived_audit(${companyId}::integer, ${range}, ${'0'.repeat(64)}, 1)`.execute(db),
      )
    await expect(remove('portal_system')).rejects.toMatchObject({ code: '42501' })
    await expect(remove('portal_app')).rejects.toMatchObject({ code: '42501' })
    expect((await left())?.entries).toBe(800)
  })

  it('leaves the way shut to a role that says the word', async () => {
    await write(300, years(8))
    await expect(
      inTransaction(app, system, async (db) => {
        await sql`select set_config('app.audit_archived', 'audit_entry', true)`.execute(db)
        await sql`delete from audit_entry`.execute(db)
      }),
    ).rejects.toMatchObject({ code: '42501' })
  })
})
