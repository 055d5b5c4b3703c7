/** A house that is ready to serve: database opened and brought up to date, key found, first people there. */
import type { Logger } from 'pino'
import { type Config, StartProblem } from '#server/config.ts'
import { openDatabase } from '#server/db/database.ts'
import { factOf } from '#server/db/facts.ts'
import { inScope } from '#server/db/scope.ts'
import { checkKey, keyOfFolder } from '#server/db/token-key.ts'
import { demoFact, loadDemoWorld } from '#server/dev/seed.ts'
import { linkForFirstAdmin } from '#server/first-admin.ts'
import type { Database, House } from '#server/house.ts'
import { noPayments, type Payments } from '#server/payments.ts'

export interface Started {
  house: House
  /** Outside demo mode, until the provider's first admin has a password. */
  firstAdminLink: string | null
}

/** Throws StartProblem; nothing is left open then. `opening`: a database that is on its way already. */
export async function startHouse(
  config: Config,
  log: Logger,
  clock: () => number = Date.now,
  opening: Promise<Database> = openDatabase(config, log),
  openPayments: () => Promise<Payments> = async () => noPayments,
): Promise<Started> {
  const database = await opening
  let payments = noPayments
  try {
    const tokenKey = config.tokenKeyGiven ? config.tokenKey : await keyOfFolder(config)
    payments = await openPayments()
    const house: House = { config: { ...config, tokenKey }, database, log, clock, payments }
    await checkKey(house)
    if (config.demo) {
      await loadDemoWorld(house)
      return { house, firstAdminLink: null }
    }
    await refuseDemoWorld(house)
    return { house, firstAdminLink: await linkForFirstAdmin(house) }
  } catch (error) {
    await Promise.all([database.close(), payments.close()])
    throw error
  }
}

/** Everybody knows its passwords, so it is served only where that was asked for. */
async function refuseDemoWorld(house: House): Promise<void> {
  const loaded = await inScope(house, { role: 'portal_system' }, (db) => factOf(db, demoFact))
  if (!loaded) return
  throw new StartProblem(
    'This database holds the demo world, whose passwords everybody knows: set DEMO=1 to serve it all the same, or use another DATA_DIR or DATABASE_URL.',
  )
}
