import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openEmbeddedDatabase } from '#server/db/embedded/open.ts'
import { restoreDump } from '#server/db/embedded/restore-dump.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { findBrokenEntries } from '#server/use-cases/audit/check-log.ts'
import type { AppContext } from '#server/context/context.ts'
import { dumpDatabase, getDumpFolder, maxDumpCount } from '#server/jobs/dump-database.ts'
import { openTestDatabase, silent, testConfig, testContext } from '#tests/support/server/database.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { addCompany, addUser, system } from '#tests/support/server/people.ts'

vi.setConfig({ testTimeout: 90_000 })

let folder: string
let app: AppContext
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-dump-'))
  const testApp = testContext(await openTestDatabase('embedded'))
  app = { ...testApp, config: testConfig({ DATA_DIR: join(folder, 'data') }) }
})
afterEach(async () => {
  await app.database.close()
  await rm(folder, { recursive: true, force: true })
})

describe('the hourly dump of the embedded database (R-12)', () => {
  it('is restored unchanged into an empty folder, although writes continued during the dump (R-37)', async () => {
    const companyId = await addCompany(app, 'acme')
    await addUser(app, companyId, { email: 'before@acme.example' })
    let isDumping = true
    const dumpPromise = dumpDatabase(app).finally(() => {
      isDumping = false
    })
    let addedCount = 0
    while (isDumping) await addUser(app, companyId, { email: `during${addedCount++}@acme.example` })
    const path = (await dumpPromise) ?? ''
    await addUser(app, companyId, { email: 'after@acme.example' })

    const restoredDir = join(folder, 'restored')
    await restoreDump(restoredDir, path, silent)
    await expect(restoreDump(restoredDir, path, silent)).rejects.toThrow('already contains a database')
    const database = await openEmbeddedDatabase({ dataDir: restoredDir, freeSpace: app.config.freeSpace }, silent)
    const { emails, brokenEntries, changeNumber } = await runInTransaction(
      testContext(database),
      system,
      async (db) => ({
        emails: (await db.selectFrom('portal_user').select('email').orderBy('id').execute()).map(({ email }) => email),
        brokenEntries: await findBrokenEntries(app, db),
        changeNumber: await sql<{ value: number }>`select value from change where company_id = ${companyId}`.execute(
          db,
        ),
      }),
    )
    await database.close()
    expect(emails[0]).toBe('before@acme.example')
    expect(emails).not.toContain('after@acme.example')
    // The dump contains complete transactions: as many users as changes.
    expect(changeNumber.rows[0]?.value).toBe(emails.length)
    expect(brokenEntries).toEqual([])
  })

  nightly('keeps only the latest dumps, and reports a dump that cannot be written', async () => {
    const dumpDir = getDumpFolder(app.config.dataDir)
    await dumpDatabase(app)
    for (let hour = 0; hour < maxDumpCount + 3; hour++)
      await writeFile(join(dumpDir, `2020-01-01T${String(hour).padStart(2, '0')}-00-00Z.tar.gz`), '')
    const latestPath = await dumpDatabase({ ...app, clock: () => Date.now() + 5000 })
    const remainingFiles = (await readdir(dumpDir)).sort()
    expect(remainingFiles).toHaveLength(maxDumpCount)
    expect(remainingFiles.at(-1)).toBe(latestPath?.split('/').at(-1))
    await expect(app.database.dumpTo?.(join(folder, 'nowhere', 'x.tar'))).rejects.toThrow('Could not write the dump')
  })

  it('rejects an unreadable dump with an error that names the file', async () => {
    const path = join(folder, 'bad.tar.gz')
    await writeFile(path, 'no dump')
    await expect(restoreDump(join(folder, 'restored'), path, silent)).rejects.toThrow(
      /Could not read the dump .*bad\.tar\.gz/,
    )
  })
})
