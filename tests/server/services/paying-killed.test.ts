import { afterAll, expect, inject, it, vi } from 'vitest'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { payThroughKills } from '#tests/campaigns/payments.ts'
import { suiteSeed } from '#tests/support/chance.ts'
import { asSuperuser } from '#tests/support/postgres.ts'

vi.setConfig({ testTimeout: 240_000 })

/** On each engine; `npm run campaign -- payments` does as many as one likes. */
const kills = 10
const data = mkdtempSync(join(tmpdir(), 'portal-paying-killed-'))
afterAll(() => rmSync(data, { recursive: true, force: true }))

const payIn = async (env: Record<string, string>) => {
  const report = await payThroughKills({ kills, seed: suiteSeed, env: { DATA_DIR: join(data, 'own'), ...env } })
  expect(report).toMatchObject({ kills, orders: kills * 5 })
  expect(report.applied).toBeGreaterThan(kills)
}

it('killed while people pay, a server has taken money once for what is paid (embedded, R-27)', () => payIn({}))

it.skipIf(!inject('postgresUrl'))('killed while people pay, it has taken money once (PostgreSQL, R-27)', async () => {
  const url = inject('postgresUrl') ?? ''
  await asSuperuser(url, 'postgres', ['create database paid'])
  await payIn({ DATA_DIR: join(data, 'beside'), DATABASE_URL: `${url}/paid` })
})
