import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { killWrites } from '#tests/campaigns/kill-writes.ts'
import { suiteSeed } from '#tests/support/runner/random.ts'
import { isNight } from '#tests/support/runner/nightly.ts'
import { runAsSuperuser, migratedDatabase } from '#tests/support/server/postgres.ts'
import { createDataFolder } from '#tests/support/runner/template.ts'

vi.setConfig({ testTimeout: 180_000 })

/** Number of rounds on each engine. The campaign `kill-writes` has any number of rounds, with twice as many writes. */
const rounds = { embedded: 1, postgres: 4 }
const killOptions = { writers: 20, writesPerWriter: 5 }

describe('a server killed during 100 writes, with the same keys sent again (R-10, R-11, R-45, S-19)', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portal-kill-test-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('has every acknowledged write exactly once and complete (embedded)', async () => {
    const env = { DATA_DIR: join(folder, 'data') }
    await createDataFolder(env.DATA_DIR)
    const report = await killWrites({ ...killOptions, rounds: rounds.embedded, seed: suiteSeed, env })
    expect(report).toMatchObject({ rounds: rounds.embedded, writes: rounds.embedded * 100 })
    expect(report.acknowledged).toBeGreaterThan(0)
  })

  if (isNight)
    it.skipIf(!inject('postgresUrl'))(
      'has every acknowledged write exactly once and complete (PostgreSQL)',
      async () => {
        const url = inject('postgresUrl') ?? ''
        await runAsSuperuser(url, 'postgres', [`create database killed template ${migratedDatabase}`])
        const env = { DATA_DIR: join(folder, 'key'), DATABASE_URL: `${url}/killed`, DEMO: '1' }
        const report = await killWrites({ ...killOptions, rounds: rounds.postgres, seed: suiteSeed, env })
        expect(report).toMatchObject({ rounds: rounds.postgres, writes: rounds.postgres * 100 })
      },
    )
})
