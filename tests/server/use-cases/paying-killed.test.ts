import { afterAll, expect, inject, it, vi } from 'vitest'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { plans } from '#tests/campaigns/payers.ts'
import { payThroughKills } from '#tests/campaigns/payments.ts'
import { suiteSeed } from '#tests/support/runner/chance.ts'
import { isNight } from '#tests/support/runner/nightly.ts'
import { asSuperuser, migratedDatabase } from '#tests/support/server/postgres.ts'
import { layDataFolder } from '#tests/support/runner/template.ts'

vi.setConfig({ testTimeout: 240_000 })

/** `npm run campaign -- payments` does as many as one likes. */
const kills = { embedded: 1, postgres: 4 }
/** Who leaves in the middle of a card is known a minute later: the campaign waits for that, the suite does not. */
const quick = plans.filter((plan) => plan !== 'left')
const data = mkdtempSync(join(tmpdir(), 'portal-paying-killed-'))
afterAll(() => rmSync(data, { recursive: true, force: true }))

const payIn = async (kills: number, env: Record<string, string>) => {
  const report = await payThroughKills({
    kills,
    plans: quick,
    seed: suiteSeed,
    env: { DATA_DIR: join(data, 'own'), ...env },
  })
  expect(report).toMatchObject({ kills, orders: kills * 5 })
  expect(report.applied).toBeGreaterThan(kills)
}

it('killed while people pay, a server has taken money once for what is paid (embedded, R-27)', async () => {
  await layDataFolder(join(data, 'own'))
  await payIn(kills.embedded, {})
})

if (isNight)
  it.skipIf(!inject('postgresUrl'))('killed while people pay, it has taken money once (PostgreSQL, R-27)', async () => {
    const url = inject('postgresUrl') ?? ''
    await asSuperuser(url, 'postgres', [`create database paid template ${migratedDatabase}`])
    await payIn(kills.postgres, { DATA_DIR: join(data, 'beside'), DATABASE_URL: `${url}/paid` })
  })
