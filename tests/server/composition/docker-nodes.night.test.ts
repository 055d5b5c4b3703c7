/** Tests real nodes with HOSTING=docker on one PostgreSQL. No daemon runs, and the nodes start without it. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { migratedDatabase, runAsSuperuser } from '#tests/support/server/postgres.ts'
import { type RunningProcess, startProcess } from '#tests/support/server/process.ts'

vi.setConfig({ testTimeout: 90_000 })

const url = inject('postgresUrl') ?? null
const databaseName = `docker_nodes_${randomUUID().slice(0, 8)}`

describe.skipIf(url === null)('several nodes with docker', () => {
  const startedProcesses: RunningProcess[] = []
  let folder = ''

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'docker-nodes-'))
    await runAsSuperuser(url ?? '', 'postgres', [`create database ${databaseName} template ${migratedDatabase}`])
  })
  afterAll(async () => {
    await Promise.all(startedProcesses.map((running) => running.kill('SIGKILL')))
    await runAsSuperuser(url ?? '', 'postgres', [`drop database ${databaseName} with (force)`])
    await rm(folder, { recursive: true, force: true })
  })

  function start(name: string, env: Record<string, string> = {}): RunningProcess {
    const running = startProcess({
      DATA_DIR: join(folder, name),
      FILES_DIR: join(folder, 'files'),
      DATABASE_URL: `${url}/${databaseName}`,
      TOKEN_KEY: '5a'.repeat(32),
      PUBLIC_URL: 'http://localhost:8080',
      HOSTING: 'docker',
      DOCKER_HOST: `unix://${join(folder, 'docker.sock')}`,
      SERVICE_IMAGE: 'erp:1',
      SERVICE_PORT: '8090',
      ...env,
    })
    startedProcesses.push(running)
    return running
  }
  async function readRefusal(name: string, env: Record<string, string>): Promise<string> {
    const running = start(name, env)
    expect(await running.exitCode).toBe(1)
    return running.output().trim().split('\n').at(-1) ?? ''
  }

  it('must agree on the Swarm, and on the stores of backups if they run jobs', async () => {
    const firstNode = start('one', { LOG_LEVEL: 'info' })
    await firstNode.ready
    expect(firstNode.output()).toMatch(/"event":"docker_unavailable","reason":"Docker does not answer at unix:/)

    const servingNode = start('two', { JOBS: 'elsewhere' })
    const [otherSwarm, otherEngine, otherStores, noPort] = await Promise.all([
      readRefusal('three', { JOBS: 'elsewhere', DOCKER_PREFIX: 'other', SERVICE_IMAGE: 'erp:2', SERVICE_PORT: '8091' }),
      readRefusal('four', { HOSTING: 'off' }),
      readRefusal('five', {}),
      readRefusal('six', { SERVICE_PORT: '' }),
      servingNode.ready,
    ])
    expect(otherSwarm).toMatch(
      /^DOCKER_PREFIX \(here "other", there "portal"\), SERVICE_IMAGE \(here "erp:2", there "erp:1"\), SERVICE_PORT \(here "8091", there "8090"\) must be the same on all nodes/,
    )
    expect(otherEngine).toMatch(/^HOSTING \(here "local, elsewhere or off", there "docker"\) must be the same/)
    expect(otherStores).toMatch(
      /^BACKUP_STORE \(here "folder [\w-]{36}", there "folder [\w-]{36}"\), BACKUP_DATABASE_URL \(here "embedded .*\) must be the same/,
    )
    expect(noPort).toMatch(/^HOSTING=docker needs a fixed port/)
  })
})
