/** Tests the logs of Swarm services with a daemon: real frames, ended and removed tasks, rotated files. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Docker from 'dockerode'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { importSampleImage } from '#demo/sample-image/import-sample-image.ts'
import { nodePath } from '#demo/sample-image/system-files.ts'
import { createFolderStore } from '#server/drivers/file-store/folder-store.ts'
import { createServiceLogs, type ServiceLogs } from '#server/drivers/hosting/docker/logs/service-logs.ts'

const docker = new Docker({ socketPath: process.env['DOCKER_TESTS'] ?? '/var/run/docker.sock' })
const ref = { serviceId: 1, code: 'logs' }
const waiting = { timeout: 60_000, interval: 200 }

let image: string
let folder: string
let serviceIds: string[]
let warnings: unknown[]
beforeAll(async () => {
  image = await importSampleImage(docker)
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'service-logs-'))
  serviceIds = []
  warnings = []
})
afterEach(async () => {
  await Promise.all(
    serviceIds.map((id) =>
      docker
        .getService(id)
        .remove()
        .catch(() => undefined),
    ),
  )
  rmSync(folder, { recursive: true, force: true })
})

const openLogs = (): ServiceLogs =>
  createServiceLogs({
    docker,
    files: createFolderStore({ folder, hasRoom: async () => true }),
    clock: Date.now,
    log: { warn: (fields: unknown) => void warnings.push(fields) } as never,
  })

async function startService(program: string, { replicas = 1, options = {} as Record<string, string> } = {}) {
  const service = await docker.createService({
    Name: `logs-test-${process.pid}-${serviceIds.length}`,
    TaskTemplate: {
      ContainerSpec: { Image: image, Command: [nodePath, '-e', program], HealthCheck: { Test: ['NONE'] } },
      LogDriver: { Name: 'json-file', Options: options },
      RestartPolicy: { Condition: 'none' },
    },
    Mode: { Replicated: { Replicas: replicas } },
  } as Docker.CreateServiceOptions)
  serviceIds.push(service.id)
  return { ref, swarmServiceIds: [service.id] }
}

type Logged = Awaited<ReturnType<typeof startService>>

async function readTexts(logs: ServiceLogs, logged: Logged): Promise<string[]> {
  const lines = await Array.fromAsync(logs.read(logged, { from: 0, to: Date.now() + 60_000 }))
  return lines.map(({ task, level, text }) => `${task} ${level} ${text}`)
}

it('stores the lines of all tasks once, and returns them after the service was removed', async () => {
  const program =
    'console.log("info started"); console.error("bad"); console.log("x".repeat(40000)); process.stdout.write("cut"); setTimeout(() => process.exit(0), 3000)'
  const logged = await startService(program, { replicas: 2 })
  const expected = ['info started', 'error bad', `info ${'x'.repeat(2000)}… [38000 more characters]`, 'info cut']
  const allTexts = [1, 2].flatMap((task) => expected.map((text) => `${task} ${text}`)).toSorted()
  await vi.waitFor(async () => {
    await openLogs().collect([logged])
    expect((await readTexts(openLogs(), logged)).toSorted()).toEqual(allTexts)
  }, waiting)
  // Until the tasks have ended, their last line may still be continued, so it is not stored.
  await vi.waitFor(async () => {
    await openLogs().collect([logged])
    const stored = await readTexts(openLogs(), { ...logged, swarmServiceIds: [] })
    expect(stored.toSorted()).toEqual(allTexts)
  }, waiting)
  await Promise.all(logged.swarmServiceIds.map((id) => docker.getService(id).remove()))
  const logs = openLogs()
  await logs.collect([logged])
  expect((await readTexts(logs, logged)).toSorted()).toEqual(allTexts)
  expect(warnings).toEqual([])
})

it('continues after files were rotated, and stores no line twice', async () => {
  const program =
    'let n = 0; const pad = "z".repeat(80); const timer = setInterval(() => { let text = ""; for (let k = 0; k < 200; k++) text += `info ${n++} ${pad}\\n`; process.stdout.write(text); if (n >= 60000) clearInterval(timer) }, 10); setTimeout(() => {}, 1e9)'
  const logged = await startService(program, { options: { 'max-size': '500k', 'max-file': '2' } })
  const logs = openLogs()
  await vi.waitFor(async () => {
    await logs.collect([logged])
    const texts = await readTexts(logs, logged)
    expect(texts.some((text) => text.startsWith('1 info 59999 '))).toBe(true)
  }, waiting)
  const numbers = (await readTexts(logs, logged)).flatMap((text) => {
    const [, number] = /^1 info (\d+) z+$/.exec(text) ?? []
    return number === undefined ? [] : [Number(number)]
  })
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
  expect(numbers.length).toBeGreaterThan(5000)
}, 120_000)
