/** Tests that each line of a service's log is stored exactly once, whatever is killed, and in spite of late and equal lines. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FileStore } from '#server/drivers/file-store/file-store.ts'
import { createBucketStore } from '#server/drivers/file-store/s3/store.ts'
import { formatDay } from '#server/drivers/hosting/log-text.ts'
import { type S3Server, startS3 } from '#tests/support/hosting/s3/server.ts'
import { limitByDay } from '#tests/support/runner/nightly.ts'
import {
  createUnreachableError,
  openServiceLogs,
  service,
  type ServiceLogsFixture,
  startAt,
} from '#tests/support/hosting/service-logs.ts'
import { createRandom } from '#tests/support/runner/random.ts'

let fixture: ServiceLogsFixture
let server: S3Server | null = null
async function open(store?: FileStore): Promise<void> {
  fixture = await openServiceLogs(store)
}
beforeEach(() => open())
afterEach(async () => {
  await fixture.close()
  await server?.close()
  server = null
})

/** A service that no longer exists in the Swarm: only stored lines can be read. */
const removedService = { ...service, swarmServiceIds: [] }
const readStoredTexts = async () =>
  (await fixture.readLines(fixture.openLogs(), undefined, removedService)).map(({ text }) => text)

describe('lines are stored exactly once', () => {
  it('stores equal lines of the same nanosecond as often as they were written', async () => {
    const task = fixture.docker.addTask({ id: 't1' })
    const logs = fixture.openLogs()
    for (const text of ['same', 'other', 'same', 'same']) fixture.addLine(task, text)
    await logs.collect([service])
    fixture.addLine(task, 'same')
    fixture.addLine(task, 'other')
    await logs.collect([service])
    await fixture.openLogs().collect([service])
    expect(await readStoredTexts()).toEqual(['same', 'other', 'same', 'same', 'same', 'other'])
  })

  it('stores a line that arrives late, and lines after the clock was set back', async () => {
    const task = fixture.docker.addTask({ id: 't1' })
    const logs = fixture.openLogs()
    fixture.addLine(task, 'first', { nanoseconds: 500 })
    await logs.collect([service])
    fixture.addLine(task, 'late', { nanoseconds: 499, stream: 2 })
    await logs.collect([service])
    fixture.addLine(task, 'an hour back', { time: startAt - 3_600_000 })
    await logs.collect([service])
    fixture.addLine(task, 'after it', { time: startAt - 3_599_999 })
    await fixture.openLogs().collect([service])
    const lines = await fixture.readLines(logs)
    expect(lines.map(({ text }) => text)).toEqual(['first', 'late', 'an hour back', 'after it'])
    expect(lines.map(({ time }) => time)).toEqual([startAt, startAt, startAt, startAt])
  })

  it('continues if the platform has deleted the last stored line', async () => {
    const task = fixture.docker.addTask({ id: 't1' })
    const logs = fixture.openLogs()
    fixture.addLine(task, 'one')
    fixture.addLine(task, 'two', { nanoseconds: 1 })
    await logs.collect([service])
    task.lines.length = 0
    fixture.addLine(task, 'three', { nanoseconds: 2 })
    await logs.collect([service])
    expect(await readStoredTexts()).toEqual(['one', 'two', 'three'])
  })

  it('does not read the log of an ended task again, and forgets a task that the platform has forgotten', async () => {
    const task = fixture.docker.addTask({ id: 't1', state: 'complete' })
    fixture.docker.addTask({ id: 't2', slot: 2, state: 'complete' })
    fixture.addLine(task, 'bye')
    const logs = fixture.openLogs()
    await logs.collect([service])
    fixture.docker.calls.length = 0
    await logs.collect([service])
    expect(fixture.docker.calls.filter((call) => call.startsWith('/tasks/'))).toEqual([])
    expect(await fixture.readTexts(logs)).toEqual(['bye'])
    expect(fixture.docker.calls.filter((call) => call.startsWith('/tasks/t1/'))).toEqual([])
  })

  it.each(limitByDay([3, 1, 2, 4], 1))(
    'is exact with two collectors and kills at any call of the store (seed %i)',
    async (seed) => {
      const random = createRandom(seed)
      const tasks = [1, 2].map((slot) => fixture.docker.addTask({ id: `t${slot}`, slot }))
      const writtenTexts: string[] = []
      const openNode = () => fixture.openLogs({ limits: { objectBytes: 200 } })
      const nodes = [openNode(), openNode()]
      for (let round = 0; round < 30; round++) {
        for (let line = 0; line < random() * 8; line++) {
          const task = tasks[random() < 0.5 ? 0 : 1]
          if (!task) continue
          fixture.now += random() < 0.5 ? 0 : 700
          const text = `line ${writtenTexts.length}`
          fixture.addLine(task, text, { nanoseconds: Math.floor(random() * 3) })
          writtenTexts.push(text)
        }
        const isKilled = random() < 0.5
        let remainingCalls = Math.floor(random() * 4)
        const isAfterwards = random() < 0.5
        fixture.files.onCall = (_, isDone) => {
          if (isKilled && isDone === isAfterwards && remainingCalls-- <= 0) throw createUnreachableError()
        }
        const index = random() < 0.5 ? 0 : 1
        const collectingNodes = random() < 0.3 ? nodes : nodes.slice(index, index + 1)
        await Promise.all(collectingNodes.map((node) => node.collect([service])))
        fixture.files.onCall = () => undefined
        // The killed node starts again with an empty memory.
        if (isKilled) nodes[index] = openNode()
        if (round % 10 === 0) expect((await fixture.readTexts(openNode())).toSorted()).toEqual(writtenTexts.toSorted())
      }
      await openNode().collect([service])
      expect((await readStoredTexts()).toSorted()).toEqual(writtenTexts.toSorted())
    },
  )

  it('is exact in a bucket that loses responses and cuts connections', async () => {
    await fixture.close()
    server = await startS3({ pageSize: 3 })
    await open(createBucketStore(server.settings(), { prefix: 'one/', tries: 2 }))
    const task = fixture.docker.addTask({ id: 't1' })
    const writtenTexts: string[] = []
    const logs = fixture.openLogs()
    for (const effect of ['lose', 'busy', 'cut', 'flip', 'lose', 'busy'] as const) {
      fixture.now += 1000
      fixture.addLine(task, `line with ${effect} ${fixture.now}`)
      writtenTexts.push(`line with ${effect} ${fixture.now}`, `entry ${fixture.now}`)
      logs.write(service.ref, `entry ${fixture.now}`)
      server.disturb('PutObject', effect, 1)
      await logs.collect([service])
      server.disturb('PutObject', 'busy', 0)
    }
    await logs.collect([service])
    expect((await readStoredTexts()).toSorted()).toEqual(writtenTexts.toSorted())
  })
})

describe('entries of the portal', () => {
  it('are readable at once at this node, stored without a collection, and not stored twice', async () => {
    const logs = fixture.openLogs()
    logs.write(service.ref, 'start requested')
    logs.write(service.ref, 'a failure\nin two lines', 'error')
    expect(await fixture.readLines(logs)).toEqual([
      { time: startAt, task: 0, level: 'info', text: 'start requested' },
      { time: startAt, task: 0, level: 'error', text: 'a failure in two lines' },
    ])
    fixture.files.onCall = (call, isDone) => {
      if (call === 'put' && isDone) throw createUnreachableError()
    }
    await logs.close()
    fixture.files.onCall = () => undefined
    await logs.collect([service])
    await logs.close()
    expect(await readStoredTexts()).toEqual(['start requested', 'a failure in two lines'])
    expect(await fixture.readTexts(logs)).toEqual(['start requested', 'a failure in two lines'])
  })

  it('are stored by one node while another one collects', async () => {
    const task = fixture.docker.addTask({ id: 't1' })
    const [first, second] = [fixture.openLogs(), fixture.openLogs()]
    for (let round = 0; round < 5; round++) {
      fixture.addLine(task, `line ${round}`)
      second.write(service.ref, `entry ${round}`)
      await Promise.all([first.collect([service]), second.close()])
      fixture.now += 1000
    }
    await first.collect([service])
    expect(await readStoredTexts()).toEqual([0, 1, 2, 3, 4].flatMap((round) => [`entry ${round}`, `line ${round}`]))
  })
})

describe('the daily limit', () => {
  const dayBytes = 4000
  it('leaves space for warnings, errors and entries, says so once, and counts what was dropped on the next day', async () => {
    const task = fixture.docker.addTask({ id: 't1' })
    const openNode = () => fixture.openLogs({ limits: { dayBytes } })
    for (const prefix of ['info', 'warn', 'error'])
      for (let line = 0; line < 100; line++) fixture.addLine(task, `${prefix} ${prefix} ${line}`)
    // Each collection is run by another node, so the usage must come from the store.
    await openNode().collect([service])
    fixture.addLine(task, 'info more')
    fixture.now += 1000
    await openNode().collect([service])
    const node = openNode()
    node.write(service.ref, 'stop requested')
    await node.close()
    const counts = (level: string, lines: readonly { level: string; task: number }[]) =>
      lines.filter((line) => line.level === level && line.task === 1).length
    const today = await fixture.readLines(node, undefined, removedService)
    expect(counts('info', today)).toBeGreaterThan(70)
    expect(counts('info', today)).toBeLessThan(90)
    expect(counts('warn', today)).toBeGreaterThan(5)
    expect(counts('error', today)).toBeGreaterThan(5)
    const notices = today.filter(({ task: number }) => number === 0).map(({ text }) => text)
    expect(notices).toEqual([
      "information lines have used their 0.003 MB of today's log: further ones are not recorded until 00:00 UTC",
      "warnings have used their 0.0035 MB of today's log: further ones are not recorded until 00:00 UTC",
      "today's log is full (0.004 MB): further lines are not recorded until 00:00 UTC",
      'stop requested',
    ])
    const storedCount = counts('info', today) + counts('warn', today) + counts('error', today)
    fixture.now += 86_400_000
    fixture.addLine(task, 'info tomorrow')
    await openNode().collect([service])
    const tomorrow = await fixture.readTexts(node, { from: fixture.now, to: fixture.now + 1 })
    expect(tomorrow).toEqual([
      `number of lines not recorded on ${formatDay(startAt)}: ${301 - storedCount}`,
      'tomorrow',
    ])
  })
})

describe('a collection', () => {
  it('of one slow service does not delay the others, and continues later', async () => {
    const services = Array.from({ length: 9 }, (_, index) => ({
      ref: { serviceId: index, code: 'x' },
      swarmServiceIds: [`s${index}`],
    }))
    for (const [index, { swarmServiceIds }] of services.entries()) {
      const task = fixture.docker.addTask({ id: `t${index}`, service: swarmServiceIds[0] ?? '', node: `n${index % 2}` })
      fixture.addLine(task, `line of ${index}`)
      if (index % 2 === 0) task.fault = 'hangs_later'
    }
    const logs = fixture.openLogs({ limits: { silenceMs: 1000 } })
    await logs.collect(services)
    expect(fixture.events).toContain('service_log_not_collected')
    const readStored = (index: number) =>
      fixture.readLines(logs, undefined, { ref: { serviceId: index, code: 'x' }, swarmServiceIds: [] })
    for (const index of [1, 3, 5, 7]) expect(await readStored(index)).toHaveLength(1)
    for (const task of fixture.docker.tasks) task.fault = null
    fixture.now += 60_000
    await logs.collect(services)
    for (const index of services.keys()) expect(await readStored(index)).toHaveLength(1)
  })

  it('before the tasks are removed also stores what was written while another one runs', async () => {
    const task = fixture.docker.addTask({ id: 't1', service: service.swarmServiceIds[0] ?? '' })
    fixture.addLine(task, 'first')
    const logs = fixture.openLogs()
    const lastCalls: Promise<void>[] = []
    fixture.files.onCall = (call) => {
      if (call !== 'put' || lastCalls.length > 0) return
      fixture.addLine(task, 'last')
      lastCalls.push(logs.collectLast(service))
    }
    await logs.collect([service])
    await Promise.all(lastCalls)
    expect(await readStoredTexts()).toEqual(['first', 'last'])
  })

  it('stores entries although the platform does not respond', async () => {
    await fixture.docker.close()
    const logs = fixture.openLogs()
    logs.write(service.ref, 'start requested')
    await logs.collect([service])
    expect(fixture.events).toEqual(['service_log_not_collected'])
    expect(await readStoredTexts()).toEqual(['start requested'])
    fixture.docker = { ...fixture.docker, close: async () => undefined }
  })
})
