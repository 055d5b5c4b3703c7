import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { describe, expect, it } from 'vitest'
import { hasValues } from '#server/db/has-values.ts'
import type { DatabaseTables } from '#server/db/tables/tables.ts'

/** Compiles queries without a database. */
const db = new Kysely<DatabaseTables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (handle) => new PostgresIntrospector(handle),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})
const selectSessions = db.selectFrom('session').select('id')
const notSent = undefined as unknown as number

describe('hasValues', () => {
  it('compares each column, and null with `is null`', () => {
    const { sql, parameters } = selectSessions.where(hasValues({ id: 'a', user_id: 7, ended: null })).compile()
    expect(sql).toBe('select "id" from "session" where ("id" = $1 and "user_id" = $2 and "ended" is null)')
    expect(parameters).toEqual(['a', 7])
  })

  it('compares a boolean with `=`', () => {
    const query = db
      .selectFrom('module')
      .select('id')
      .where(hasValues({ 'module.deleted': false }))
      .compile()
    expect(query.sql).toBe('select "id" from "module" where "module"."deleted" = $1')
    expect(query.parameters).toEqual([false])
  })

  it('throws if a value is undefined, in a query and in a write', () => {
    expect(() => selectSessions.where(hasValues({ id: 'a', user_id: notSent }))).toThrow(
      'no value for the column user_id',
    )
    expect(() => db.deleteFrom('session').where(hasValues({ user_id: notSent }))).toThrow('no value')
    expect(() =>
      db
        .updateTable('session')
        .set({ ended: 1 })
        .where(hasValues({ user_id: notSent })),
    ).toThrow('no value')
  })

  it('throws if there is no column', () => {
    expect(() => db.deleteFrom('session').where(hasValues({}))).toThrow('does not name a column')
  })

  it('does not compile for an unknown column or a value of another type', () => {
    // @ts-expect-error No column of the table.
    selectSessions.where(hasValues({ id: 'a', userId: 7 }))
    // @ts-expect-error The id of a session is a text.
    selectSessions.where(hasValues({ id: 7 }))
    // @ts-expect-error The id of a session is never null.
    selectSessions.where(hasValues({ id: null }))
    // @ts-expect-error There is no such state.
    db.selectFrom('job').where(hasValues({ state: 'finished' }))
    const [id] = ['a'] as (string | undefined)[]
    // @ts-expect-error It may be undefined.
    selectSessions.where(hasValues({ id }))
  })
})
