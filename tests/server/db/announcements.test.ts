/** The connection that hears what other nodes announce. */
import { expect, inject, it } from 'vitest'
import { Client } from 'pg'
import { openPostgres } from '#server/db/postgres.ts'
import { silent, testConfig } from '#tests/support/server/database.ts'
import { runAsSuperuser, migratedDatabase } from '#tests/support/server/postgres.ts'

const postgresUrl = inject('postgresUrl')

it.skipIf(!postgresUrl)(
  'ends with its database, also where it is only being made: it would keep the process',
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
    // Two, where the first one's is left.
    await expect.poll(countListeners).toBe(1)
    await secondDatabase.close()
    await expect.poll(countListeners).toBe(0)
  },
)
