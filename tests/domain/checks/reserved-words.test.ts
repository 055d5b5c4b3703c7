import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isReserved, isReservedService } from '#domain/checks/reserved-words.ts'
import type { Database } from '#server/db/database.ts'
import { openTestDatabase } from '#tests/support/server/database.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase('embedded')
}, 60_000)
afterAll(() => database.close())

test('Every word that PostgreSQL reserves is a reserved code (D70)', async () => {
  const { rows } = await sql<{ word: string }>`
    select word from pg_get_keywords() where catcode in ('R', 'T')`.execute(database.kysely)
  expect(rows.length).toBeGreaterThan(90)
  expect(rows.map(({ word }) => word).filter((word) => !isReserved(word))).toEqual([])
})

test('Words of the specification are reserved in any case, and host names only for services (M57, D70)', () => {
  for (const word of ['M18', 'ADMIN', 'ADMINISTRATOR', 'SYSTEM', 'MYSQL', 'Select', 'unsigned', 'zerofill', 'ilike'])
    expect([word, isReserved(word), isReservedService(word)]).toEqual([word, true, true])
  for (const word of ['www', 'api', 'app', 'mail'])
    expect([word, isReserved(word), isReservedService(word)]).toEqual([word, false, true])
  for (const word of ['acme', 'selects', 'm180', '', 'ad min']) expect(isReservedService(word)).toBe(false)
})
