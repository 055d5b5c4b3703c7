/** Tests the housekeeping of the embedded engine: it vacuums tables that grew or were overwritten, and no others. */
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AppContext } from '#server/context/context.ts'
import { vacuumEmbedded } from '#server/jobs/vacuum-embedded.ts'
import { openTestDatabase, testContext } from '#tests/support/server/database.ts'

let app: AppContext
const openContext = async (kind: Parameters<typeof openTestDatabase>[0]) => testContext(await openTestDatabase(kind))
beforeEach(async () => {
  app = await openContext('embedded')
  await sql`create table "Odd ""name" (a integer)`.execute(app.database.kysely)
})
afterEach(async () => {
  await runStatement('drop table "Odd ""name"')
  await app.database.close()
})

const runStatement = (statement: string) => sql.raw(statement).execute(app.database.kysely)
const readPageCounts = async () => {
  const { rows } = await sql<{ all: number; seen: number }>`
    select relpages as all, relallvisible as seen from pg_class where relname = 'Odd "name'`.execute(
    app.database.kysely,
  )
  return rows[0]
}
const readSize = async () =>
  (await sql<{ size: number }>`select pg_relation_size('"Odd ""name"')::integer as size`.execute(app.database.kysely))
    .rows[0]?.size ?? 0
const insertRows = (count: number) => runStatement(`insert into "Odd ""name" select generate_series(1, ${count})`)

it('vacuumEmbedded vacuums a table that grew, and skips it until it grows again', async () => {
  await insertRows(20_000)
  expect(await vacuumEmbedded(app)).toBeGreaterThan(0)
  const pageCounts = await readPageCounts()
  expect(pageCounts?.all).toBeGreaterThan(50)
  expect(pageCounts?.seen).toBe(pageCounts?.all)
  expect(await vacuumEmbedded(app)).toBe(0)
  await insertRows(1000)
  expect(await vacuumEmbedded(app)).toBe(0)
  await insertRows(6000)
  expect(await vacuumEmbedded(app)).toBe(1)
})

it('vacuumEmbedded frees the space of overwritten rows, so the table does not grow', async () => {
  await insertRows(5000)
  await vacuumEmbedded(app)
  const overwriteRows = async () => {
    await runStatement('update "Odd ""name" set a = a + 1')
    await vacuumEmbedded(app)
    return await readSize()
  }
  const sizes = []
  for (let index = 0; index < 6; index++) sizes.push(await overwriteRows())
  expect(sizes[0]).toBeGreaterThan(0)
  expect(sizes.at(-1)).toBeLessThanOrEqual((sizes[1] ?? 0) + 8192)
})
