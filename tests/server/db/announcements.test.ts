/** Tests of the connection that receives the announcements of other nodes. */
import { expect, inject, it } from 'vitest'
import { Client } from 'pg'
import { openPostgres } from '#server/db/postgres.ts'
import { silent, testConfig } from '#tests/support/server/database.ts'
import { runAsSuperuser, migratedDatabase } from '#tests/support/server/postgres.ts'

const postgresUrl = inject('postgresUrl')

it.skipIf(!postgresUrl)(
  'The listen connection ends when its database is closed, even while it is being opened',
  async () => {
    await runAsSuperuser(postgresUrl ?? '', 'postgres', [`create database ears template ${migratedDatabase}`])
    const url = `${postgresUrl}/ears`
    const countListeners = async () => {
      const client = new Client({ connectionString: url })
      await client.connect()
      const { rows } = await client.query(
        "select 1 from pg_stat_activity where application_name = 'portal-listen' and datname = 'ears'",
      )
      await client.end()
      return rows.length
    }
    const [firstDatabase, secondDatabase] = [
      await openPostgres(testConfig(), url, silent),
      await openPostgres(testConfig(), url, silent),
    ]
    firstDatabase.listen('changes', () => undefined)
    await firstDatabase.close()
    secondDatabase.listen('changes', () => undefined)
    // The count would be 2 if the first database had left its connection open.
    await expect.poll(countListeners).toBe(1)
    await secondDatabase.close()
    await expect.poll(countListeners).toBe(0)
  },
)
