import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { killWrites } from '#tests/campaigns/kill-writes.ts'
import { suiteSeed } from '#tests/support/chance.ts'
import { asSuperuser } from '#tests/support/postgres.ts'

vi.setConfig({ testTimeout: 180_000 })

/** The campaign of the same name does twenty. */
const rounds = 3

describe('a server killed in the middle of 200 writes, and the same keys sent again (R-10, R-11, R-45)', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portal-kill-test-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('has every acknowledged write, none twice, none in half (embedded)', async () => {
    const report = await killWrites({ rounds, seed: suiteSeed, env: { DATA_DIR: join(folder, 'data') } })
    expect(report).toMatchObject({ rounds, writes: rounds * 200 })
    expect(report.acknowledged).toBeGreaterThan(0)
  })

  it.skipIf(!inject('postgresUrl'))('has every acknowledged write, none twice, none in half (PostgreSQL)', async () => {
    const url = inject('postgresUrl') ?? ''
    await asSuperuser(url, 'postgres', ['create database killed'])
    const env = { DATA_DIR: join(folder, 'key'), DATABASE_URL: `${url}/killed`, DEMO: '1' }
    expect(await killWrites({ rounds, seed: suiteSeed, env })).toMatchObject({ rounds, writes: rounds * 200 })
  })
})
