/** Tests a worker beside a server that leaves jobs to it, on one database. */
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { startJobs } from '#server/composition/start-jobs.ts'
import { tryInsertJob } from '#server/db/jobs.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { watchWaitingJobs } from '#server/jobs/watch-waiting-jobs.ts'
import { findFreePort } from '#tests/support/server/free-port.ts'
import { newPassword } from '#tests/support/server/forms.ts'
import { migratedDatabase, runAsSuperuser } from '#tests/support/server/postgres.ts'
import { type RunningProcess, startProcess } from '#tests/support/server/process.ts'
import { startServer } from '#tests/support/server/server.ts'

const postgresUrl = inject('postgresUrl') ?? null
let folder: string
const processes: RunningProcess[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-worker-'))
})
afterEach(() => Promise.all(processes.splice(0).map((running) => running.kill('SIGKILL'))))
afterAll(() => rm(folder, { recursive: true, force: true }))

const start = (env: Record<string, string>, command: string) => {
  const running = startProcess(env, 'main.ts', [command])
  processes.push(running)
  return running
}
const listMails = (name: string) => readdir(join(folder, name, 'mail')).catch(() => [])

describe.skipIf(postgresUrl === null)('a worker', () => {
  it('runs the jobs that a server leaves to it, and serves only health checks', async () => {
    await runAsSuperuser(postgresUrl ?? '', 'postgres', [`create database worked template ${migratedDatabase}`])
    const commonEnv = {
      DATABASE_URL: `${postgresUrl}/worked`,
      TOKEN_KEY: '11'.repeat(32),
      JOBS: 'elsewhere',
      FILES_DIR: join(folder, 'files'),
      PORT: String(await findFreePort()),
    }
    const server = start({ ...commonEnv, DATA_DIR: join(folder, 'server') }, 'serve')
    const url = await server.ready
    const [, otk] = /saas\/sys\/activate\?otk=(\S+)/.exec(server.output()) ?? []
    const registration = await fetch(`${url}/public/company`, {
      method: 'POST',
      body: new URLSearchParams({
        code: 'nova',
        name: 'Nova Ltd',
        country: 'HK',
        tel: '+852-12345678',
        user_title: '1',
        user_name: 'Ana Chan',
        user_email: 'ana@nova.example',
        user_password: newPassword,
        confirmPwd: newPassword,
      }),
    })
    expect(registration.status).toBe(200)

    const healthPort = await findFreePort()
    const worker = start(
      {
        ...commonEnv,
        DATA_DIR: join(folder, 'worker'),
        HEALTH_PORT: String(healthPort),
        // Ctrl-C does not wait for it.
        DRAIN_SECONDS: '300',
      },
      'worker',
    )
    await worker.ready
    await expect.poll(() => listMails('worker'), { timeout: 15_000 }).toHaveLength(1)
    const [mailName = ''] = await listMails('worker')
    expect(await readFile(join(folder, 'worker', 'mail', mailName), 'utf8')).toContain('ana@nova.example')
    expect(await listMails('server')).toEqual([])
    const ready = () => fetch(`http://127.0.0.1:${healthPort}/health/ready`).then(({ status }) => status)
    await expect.poll(ready).toBe(200)
    expect((await fetch(`http://127.0.0.1:${healthPort}/saas/`)).status).toBe(404)

    // The worker did not replace the link that the server printed.
    expect(worker.output()).not.toContain('otk=')
    expect((await fetch(`${url}/public/users/activate?otk=${otk}`)).status).toBe(200)

    expect(await worker.kill('SIGINT')).toBe(0)
    expect(await server.kill('SIGTERM')).toBe(0)
  }, 60_000)

  it.each([
    [{ DATABASE_URL: '' }, 'A worker needs a database that several processes can use: set DATABASE_URL'],
    [{ DATABASE_URL: 'postgres://a@127.0.0.1:9/b', DEMO: '1' }, 'A worker does not run in the demo: unset DEMO'],
  ])('is refused with %o', async (env, sentence) => {
    const worker = start({ ...env, DATA_DIR: join(folder, 'refused') }, 'worker')
    expect(await worker.exitCode).toBe(1)
    expect(worker.output()).toContain(sentence)
    expect(worker.output().trim()).not.toContain('\n')
  })
})

it('A server that leaves jobs to workers warns if nobody runs them', async () => {
  const server = await startServer()
  const { app, clock } = server
  await mkdir(app.config.dataDir, { recursive: true })
  try {
    const { userId } = await server.signIn('admin@alpha')
    const addJob = (id: string) =>
      writeAsSystem(app, (db) =>
        tryInsertJob(db, {
          id,
          intent: crypto.randomUUID(),
          kind: 'verify-trail',
          input: {},
          progressKey: crypto.randomUUID(),
          now: clock.now,
          deadline: clock.now + 3_600_000,
          companyId: server.world.companies.alpha,
          userId,
        }),
      )
    const stopJobs = startJobs({ app, canHost: () => true }, null, 'elsewhere')
    await addJob(crypto.randomUUID())
    clock.now += 4 * 60_000
    await addJob(crypto.randomUUID())
    await watchWaitingJobs.run(app, () => false)
    expect(server.readLog()).not.toContain('jobs_waiting')
    clock.now += 2 * 60_000
    await watchWaitingJobs.run(app, () => false)
    expect(server.readLog()).toContain('"event":"jobs_waiting","kind":"verify-trail","count":1')
    await stopJobs()
  } finally {
    await server.close()
  }
})
