/** Tests real nodes on one PostgreSQL: the start of processes, their settings and the commands for the operator. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { migratedDatabase, runAsSuperuser } from '#tests/support/server/postgres.ts'
import { type RunningProcess, startProcess } from '#tests/support/server/process.ts'

vi.setConfig({ testTimeout: 90_000 })

const url = inject('postgresUrl') ?? null
const databaseName = `nodes_${randomUUID().slice(0, 8)}`
const startedProcesses: RunningProcess[] = []
let folder = ''

/** Each node has a folder of its own, and all have the same store of files. The secrets are in files, as in containers. */
const nodeEnv = (name: string) => ({
  DATA_DIR: join(folder, name),
  FILES_DIR: join(folder, 'files'),
  DATABASE_URL_FILE: join(folder, 'database-url'),
  TOKEN_KEY_FILE: join(folder, 'token-key'),
})

function start(env: Record<string, string>, script?: string): RunningProcess {
  const running = startProcess(env, script)
  startedProcesses.push(running)
  return running
}

async function run(env: Record<string, string>, script?: string): Promise<{ code: number | null; output: string }> {
  const running = start(env, script)
  const code = await running.exitCode
  return { code, output: running.output().trim() }
}

describe.skipIf(url === null)('several nodes on one PostgreSQL', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portal-nodes-'))
    await runAsSuperuser(url ?? '', 'postgres', [`create database ${databaseName} template ${migratedDatabase}`])
    await writeFile(join(folder, 'database-url'), `${url}/${databaseName}\n`)
    await writeFile(join(folder, 'token-key'), `${'5a'.repeat(32)}\n`)
  })
  afterEach(async () => {
    await Promise.all(startedProcesses.splice(0).map((running) => running.kill('SIGKILL')))
  })
  afterAll(async () => {
    await runAsSuperuser(url ?? '', 'postgres', [`drop database ${databaseName} with (force)`])
    await rm(folder, { recursive: true, force: true })
  })

  it('start together with one link for the first administrator, and refuse a node that differs', async () => {
    const publicUrl = { PUBLIC_URL: 'http://localhost:8080' }
    const nodes = ['one', 'two'].map((name) => start({ ...nodeEnv(name), ...publicUrl }))
    const addresses = await Promise.all(nodes.map(({ ready }) => ready))
    const outputs = nodes.map((running) => running.output())
    expect(addresses).toHaveLength(2)
    expect(outputs.filter((output) => /\/saas\/sys\/activate\?otk=[\w-]{43}\n/.test(output))).toHaveLength(1)
    expect(outputs.filter((output) => output.includes(`was printed on ${hostname()} at`))).toHaveLength(1)

    const [list, refusal, otherStore, newLink] = await Promise.all([
      run(nodeEnv('three'), 'server/cli/list-nodes.ts'),
      run({ ...nodeEnv('three'), ...publicUrl, TIME_ZONE: 'Europe/Berlin', AUDIT_KEY: '77'.repeat(32) }),
      run({ ...nodeEnv('three'), ...publicUrl, FILES_DIR: join(folder, 'other-files') }),
      run({ ...nodeEnv('three'), ...publicUrl }, 'server/cli/create-admin-link.ts'),
    ])
    expect(list.code).toBe(0)
    const nodeLines = list.output.match(/^[\w-]{36} {2}\S+ {2}serve {2}build \S+ {2}since \S+Z {2}seen \d+ s ago$/gm)
    expect(nodeLines).toHaveLength(2)
    expect(refusal.code).toBe(1)
    expect(refusal.output.split('\n').at(-1)).toMatch(
      /^AUDIT_KEY, AUDIT_NAME \(here "\w{16}", there "\w{16}"\), TIME_ZONE \(here "Europe\/Berlin", there "Asia\/Hong_Kong"\) must be the same on all nodes, but 2 other nodes run with another value/,
    )
    expect(refusal.output).not.toContain('77777777')
    expect(otherStore).toMatchObject({ code: 1, output: expect.stringMatching(/^FILES_DIR \(here "folder /m) })
    expect(newLink).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^http:\/\/localhost:8080\/saas\/sys\/activate\?otk=[\w-]{43}$/m),
    })
    expect(await Promise.all(nodes.map((running) => running.kill('SIGTERM')))).toEqual([0, 0])

    // No node runs now, so the next one may have other settings, and prints a new link.
    const changedNode = start({ ...nodeEnv('one'), ...publicUrl, TIME_ZONE: 'Europe/Berlin', LOG_LEVEL: 'info' })
    await changedNode.ready
    expect(changedNode.output()).toMatch(/"event":"settings_changed","settings":\["TIME_ZONE"\]/)
    expect(changedNode.output()).toMatch(/\?otk=[\w-]{43}\n/)
  })

  it('do not start if the file of a secret is missing, and do not print its name', async () => {
    const refusal = await run({ ...nodeEnv('four'), TOKEN_KEY_FILE: '5a'.repeat(32) })
    expect(refusal).toEqual({
      code: 1,
      output: 'The file that TOKEN_KEY_FILE names does not exist: TOKEN_KEY_FILE must be a path, not the value.',
    })
  })
})
