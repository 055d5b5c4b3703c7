/** The connection that hears what other nodes announce. */
import { expect, inject, it } from 'vitest'
import { Client } from 'pg'
import { openPostgres } from '#server/db/postgres.ts'
import { silent, testConfig } from '#tests/support/server/database.ts'
import { asSuperuser, migratedDatabase } from '#tests/support/server/postgres.ts'

const postgresUrl = inject('postgresUrl')

it.skipIf(!postgresUrl)(
  'ends with its database, also where it is only being made: it would keep the process',
  async () => {
    await asSuperuser(postgresUrl ?? '', 'postgres', [`create database ears template ${migratedDatabase}`])
    const url = `${postgresUrl}/ears`
    const ears = async () => {
      const looker = new Client({ connectionString: url })
      await looker.connect()
      const { rows } = await looker.query(
        "select 1 from pg_stat_activity where application_name = 'portal-listen' and datname = 'ears'",
      )
      await looker.end()
      return rows.length
    }
    const [early, late] = [await openPostgres(testConfig(), url, silent), await openPostgres(testConfig(), url, silent)]
    early.listen('changes', () => undefined)
    await early.close()
    late.listen('changes', () => undefined)
    // Two, where the first one's is left.
    await expect.poll(ears).toBe(1)
    await late.close()
    await expect.poll(ears).toBe(0)
  },
)
