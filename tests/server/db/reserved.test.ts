import { expect, test } from 'vitest'
import { sql } from 'kysely'
import { isReserved } from '#domain/checks/reserved-words.ts'
import { onBothEngines } from '#tests/support/server/database.ts'

onBothEngines('reserved words', (app) => {
  test('include all words that the database reserves (D70)', async () => {
    const { rows } = await sql<{ word: string }>`
      select word from pg_get_keywords() where catcode in ('R', 'T')`.execute(app.database.kysely)
    expect(rows.length).toBeGreaterThan(90)
    expect(rows.filter(({ word }) => !isReserved(word))).toEqual([])
  })

  test('are compared as complete words, ignoring case', () => {
    for (const word of ['M18', 'admin', 'Administrator', 'SYSTEM', 'MySQL', 'Json_Table', 'RANK', 'SELECT'])
      expect([word, isReserved(word)]).toEqual([word, true])
    for (const word of ['acme', 'ranks', 'my_sql', 'admins', ''])
      expect([word, isReserved(word)]).toEqual([word, false])
  })
})
