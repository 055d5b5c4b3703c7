import { afterAll, expect, inject, it, vi } from 'vitest'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { payerPlans } from '#tests/campaigns/payers.ts'
import { payThroughKills } from '#tests/campaigns/payments.ts'
import { suiteSeed } from '#tests/support/runner/random.ts'
import { isNight } from '#tests/support/runner/nightly.ts'
import { runAsSuperuser, migratedDatabase } from '#tests/support/server/postgres.ts'
import { createDataFolder } from '#tests/support/runner/template.ts'

vi.setConfig({ testTimeout: 240_000 })

/** Number of kills on each engine. `npm run campaign -- payments` runs any number. */
const killCounts = { embedded: 1, postgres: 4 }
/** Plans without the payer who leaves a payment open. Such a payment is only settled after a minute, for which only the campaign waits. */
const quickPlans = payerPlans.filter((plan) => plan !== 'left')
const dataFolder = mkdtempSync(join(tmpdir(), 'portal-paying-killed-'))
afterAll(() => rmSync(dataFolder, { recursive: true, force: true }))

const payAndCheck = async (kills: number, env: Record<string, string>) => {
  const report = await payThroughKills({
    kills,
    plans: quickPlans,
    seed: suiteSeed,
    env: { DATA_DIR: join(dataFolder, 'own'), ...env },
  })
  expect(report).toMatchObject({ kills, orders: kills * 5 })
  expect(report.appliedCount).toBeGreaterThan(kills)
}

it('A server that is killed during payments charges each paid order once (embedded, R-27)', async () => {
  await createDataFolder(join(dataFolder, 'own'))
  await payAndCheck(killCounts.embedded, {})
})

if (isNight)
  it.skipIf(!inject('postgresUrl'))(
    'A server that is killed during payments charges each paid order once (PostgreSQL, R-27)',
    async () => {
      const url = inject('postgresUrl') ?? ''
      await runAsSuperuser(url, 'postgres', [`create database paid template ${migratedDatabase}`])
      await payAndCheck(killCounts.postgres, { DATA_DIR: join(dataFolder, 'beside'), DATABASE_URL: `${url}/paid` })
    },
  )
