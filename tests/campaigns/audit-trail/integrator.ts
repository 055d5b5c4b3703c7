/** An integrator in a process of its own, to be killed: `DATABASE_URL` and `TOKEN_KEY` as a server has them. */
import pino from 'pino'
import { readConfig } from '#server/config.ts'
import { makePool, overPool } from '#server/db/pool.ts'
import { integrate } from '#server/services/audit/integrate.ts'
import { noPayments } from '#server/payment-methods.ts'

const log = pino({ level: 'silent' })
const config = readConfig(process.env)
const kysely = overPool(makePool({ connectionString: process.env['DATABASE_URL'] ?? '', max: 2 }, log))
const database = {
  engine: 'postgres' as const,
  kysely,
  hasFreeSpace: () => true,
  dumpTo: null,
  announce: async () => undefined,
  listen: () => () => undefined,
  close: () => kysely.destroy(),
}
process.send?.('ready')
for (;;) {
  await integrate({ config, database, log, clock: Date.now, payments: noPayments })
  await new Promise((on) => setTimeout(on, 5))
}
