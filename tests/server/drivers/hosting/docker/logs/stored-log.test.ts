/** Tests the stored log: merging of objects, retention, and reading while parts of the log cannot be read. */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { logDays } from '#domain/hosting.ts'
import type { InstanceLogLine } from '#server/drivers/hosting/hosting-driver.ts'
import { emptyState, getLogFolder } from '#server/drivers/hosting/docker/logs/log-objects.ts'
import { addLogObject } from '#server/drivers/hosting/docker/logs/stored-log.ts'
import {
  createUnreachableError,
  openServiceLogs,
  service,
  type ServiceLogsFixture,
  startAt,
} from '#tests/support/hosting/service-logs.ts'

const dayMs = 86_400_000
const logFolder = getLogFolder(service.ref)
const removedService = { ...service, swarmServiceIds: [] }

let fixture: ServiceLogsFixture
beforeEach(async () => {
  fixture = await openServiceLogs()
})
afterEach(() => fixture.close())

const createLine = (time: number, text: string): InstanceLogLine => ({ time, task: 1, level: 'info', text })
const addObject = (sequence: number, lines: InstanceLogLine[]) =>
  addLogObject(fixture.files.store, logFolder, { ...emptyState, sequence }, lines)
const listNames = () => readdirSync(join(fixture.folder, logFolder)).toSorted()
const readStoredTexts = async (range?: { from: number; to: number }) =>
  (await fixture.readLines(fixture.openLogs(), range, removedService)).map(({ text }) => text)

/** Adds objects with these numbers, each with two lines. Returns the texts. */
async function addObjects(sequences: readonly number[]): Promise<string[]> {
  const texts: string[] = []
  for (const sequence of sequences) {
    const time = startAt + sequence * 1000
    await addObject(sequence, [createLine(time, `a${sequence}`), createLine(time + 500, `b${sequence}`)])
    texts.push(`a${sequence}`, `b${sequence}`)
  }
  return texts
}

/** Collects without services, which cleans the store up. Another node each time, because a node does it once per hour. */
const cleanUp = () => fixture.openLogs().collect([])

describe('merging', () => {
  it('replaces 32 objects, then 32 blocks, and removes what is replaced only later', async () => {
    const sequences = [...Array.from({ length: 31 }, (_, block) => block * 32 + 5), 993, 1024, 1025]
    const texts = await addObjects(sequences)
    await cleanUp()
    expect(listNames()).toHaveLength(34 + 32)
    expect(listNames()).toContain(`0000000001-0000000032.${startAt + 5000}.${startAt + 5500}.ndjson.gz`)
    expect(await readStoredTexts()).toEqual(texts)
    await cleanUp()
    expect(await readStoredTexts()).toEqual(texts)
    fixture.now = Date.now() + 700_000
    await cleanUp()
    const end = startAt + 1_024_500
    expect(listNames()).toEqual([`0000000001-0000001024.${startAt + 5000}.${end}.ndjson.gz`, '0000001025.ndjson.gz'])
    fixture.now = startAt
    expect(await readStoredTexts()).toEqual(texts)
    expect(await readStoredTexts({ from: startAt + 37_000, to: startAt + 69_500 })).toEqual(['a37', 'b37', 'a69'])
  })

  it('neither loses nor doubles lines when it is killed at any call of the store', async () => {
    const texts = await addObjects(Array.from({ length: 33 }, (_, index) => index + 1))
    for (const isAfterwards of [false, true])
      for (const call of ['put', 'remove'] as const)
        for (const failingKey of call === 'put' ? ['0000000001-'] : ['0000000001.', '0000000032.']) {
          fixture.files.onCall = (name, isDone, key) => {
            if (name === call && isDone === isAfterwards && key.includes(`/${failingKey}`))
              throw createUnreachableError()
          }
          fixture.now = call === 'remove' ? Date.now() + 700_000 : startAt
          await cleanUp()
          fixture.files.onCall = () => undefined
          fixture.now = startAt
          expect(await readStoredTexts()).toEqual(texts)
        }
    expect(fixture.events).toContain('service_logs_not_cleaned_up')
    fixture.now = Date.now() + 700_000
    await cleanUp()
    expect(listNames()).toHaveLength(2)
    fixture.now = startAt
    expect(await readStoredTexts()).toEqual(texts)
    // A writer that was suspended adds an object that the block has replaced already.
    await addObject(7, [createLine(startAt, 'a second time')])
    expect(await readStoredTexts()).toEqual(texts)
  })

  it('happens while lines are collected, and another node continues after the block', async () => {
    const task = fixture.docker.addTask({ id: 't1' })
    const logs = fixture.openLogs()
    const texts = Array.from({ length: 40 }, (_, index) => `line ${index}`)
    for (const text of texts) {
      fixture.now += 1000
      fixture.addLine(task, text)
      await logs.collect([service])
    }
    expect(listNames().filter((name) => name.startsWith('0000000001-0000000032.'))).toHaveLength(1)
    const replacedNames = listNames().filter((name) => !name.includes('-') && Number(name.slice(0, 10)) <= 32)
    for (const name of replacedNames) rmSync(join(fixture.folder, logFolder, name))
    fixture.addLine(task, 'last')
    await fixture.openLogs().collect([service])
    expect(await readStoredTexts()).toEqual([...texts, 'last'])
  })

  it('reports a damaged object, and does not merge it', async () => {
    await addObjects(Array.from({ length: 33 }, (_, index) => index + 1))
    writeFileSync(join(fixture.folder, logFolder, '0000000020.ndjson.gz'), 'no gzip')
    await cleanUp()
    expect(fixture.events).toEqual(['service_log_damaged'])
    expect(listNames()).toHaveLength(33)
  })
})

describe('retention', () => {
  it('removes what another node stored after the erasure, but not the log of a service that was created again', async () => {
    await addObjects([1, 2])
    fixture.now = Date.now() + 500_000
    await fixture.openLogs().collect([], [service.ref])
    expect(listNames()).toHaveLength(2)
    fixture.now = Date.now() + 700_000
    await fixture.openLogs().collectLast({ ...service, swarmServiceIds: [] })
    expect(listNames()).toHaveLength(2)
    await fixture.openLogs().collect([], [service.ref])
    expect(existsSync(join(fixture.folder, logFolder)) ? listNames() : []).toEqual([])
  })

  it('removes old objects of all services, and neither reads nor collects older lines', async () => {
    const now = Date.now()
    const old = now - logDays * dayMs - 60_000
    const sequences = Array.from({ length: 33 }, (_, index) => index + 1)
    for (const sequence of sequences) await addObject(sequence, [createLine(old + sequence * 1000, `old ${sequence}`)])
    await addObject(34, [createLine(old, 'older than 180 days'), createLine(now - dayMs, 'yesterday')])
    fixture.now = old + dayMs
    await cleanUp()
    fixture.now = now
    expect(await readStoredTexts({ from: 0, to: now + 1 })).toEqual(['yesterday'])
    await cleanUp()
    expect(listNames().filter((name) => name.includes('-'))).toEqual([])
    const task = fixture.docker.addTask({ id: 't1' })
    fixture.addLine(task, 'written long ago', { time: old })
    fixture.addLine(task, 'written now')
    await fixture.openLogs().collect([service])
    expect(await readStoredTexts({ from: 0, to: now + 1 })).toEqual(['yesterday', 'written now'])
  })

  it('erases the log of one service', async () => {
    const task = fixture.docker.addTask({ id: 't1' })
    fixture.addLine(task, 'line')
    const logs = fixture.openLogs()
    const other = { ref: { serviceId: 7, code: 'abcd' }, swarmServiceIds: ['s1'] }
    await logs.collect([service, other])
    logs.write(service.ref, 'erase requested')
    await logs.erase(service.ref)
    await logs.close()
    expect(await readStoredTexts()).toEqual([])
    expect(await fixture.readLines(logs, undefined, { ...other, swarmServiceIds: [] })).toHaveLength(1)
    fixture.files.onCall = () => {
      throw createUnreachableError()
    }
    await expect(logs.erase(service.ref)).rejects.toMatchObject({ fault: 'unreachable' })
  })
})

describe('reading', () => {
  it('continues after the stored lines with those of each task, oldest first, exactly within the range', async () => {
    const tasks = [1, 2].map((slot) => fixture.docker.addTask({ id: `t${slot}`, slot }))
    const logs = fixture.openLogs()
    const texts: string[] = []
    for (let index = 0; index < 60; index++) {
      const task = tasks[index % 2]
      if (task) fixture.addLine(task, `line ${index}`, { time: startAt + index * 100 })
      texts.push(`line ${index}`)
      // The first task is collected more often, so the live lines of the second one are older than stored lines.
      if (index % 20 === 7) {
        if (tasks[1]) tasks[1].fault = 'unavailable'
        await logs.collect([service])
        if (tasks[1]) tasks[1].fault = null
      }
    }
    expect(await fixture.readTexts(logs)).toEqual(texts)
    const lines = await fixture.readLines(fixture.openLogs(), { from: startAt + 700, to: startAt + 5_000 })
    expect(lines.map(({ text }) => text)).toEqual(texts.slice(7, 50))
    expect(lines.map(({ task }) => task)).toEqual(lines.map((_, index) => (index % 2 === 0 ? 2 : 1)))
    expect(await fixture.readTexts(logs, { from: startAt + 700, to: startAt + 700 })).toEqual([])
  })

  it.each([
    ['hangs', /^The latest lines of task 2 are missing here\. The node n2 does not send the log of its task\.$/],
    ['hangs_later', /^The latest lines of task 2 are missing here\. The node n2 does not/],
    ['unavailable', /task 2 are missing here\. warning: incomplete log stream.* node n2 is not available$/],
    ['cut', /^The latest lines of task 2 are missing here\. The platform does not send its log\.$/],
  ] as const)('names a task whose node %s, and returns all other lines', async (fault, note) => {
    const first = fixture.docker.addTask({ id: 't1' })
    const second = fixture.docker.addTask({ id: 't2', slot: 2, node: 'n2' })
    fixture.addLine(first, 'stored')
    const logs = fixture.openLogs({ limits: { silenceMs: 1000 } })
    await logs.collect([service])
    fixture.now += 61_000
    fixture.addLine(first, 'live')
    second.fault = fault
    const lines = await fixture.readLines(logs)
    expect(lines.map(({ text }) => text)).toEqual(['stored', expect.stringMatching(note), 'live'])
    expect(lines[1]).toMatchObject({ time: startAt + 60_000, task: 0, level: 'warn' })
  })

  it('puts the note after the lines that the node has sent, with the time of the last one', async () => {
    const task = fixture.docker.addTask({ id: 't1' })
    fixture.now += 65_000
    fixture.addLine(task, 'one', { time: startAt + 63_000 })
    fixture.addLine(task, 'two', { time: startAt + 64_000 })
    task.fault = 'unavailable'
    const lines = await fixture.readLines(fixture.openLogs())
    const times = [startAt + 63_000, startAt + 64_000, startAt + 64_000]
    expect(lines.map(({ time }) => time)).toEqual(times)
    expect(lines[2]?.text).toMatch(/^The latest lines of task 1 are missing here/)
  })

  it('returns current lines of the tasks and a note if the store does not respond, but no older hour', async () => {
    const task = fixture.docker.addTask({ id: 't1' })
    fixture.addLine(task, 'stored')
    const logs = fixture.openLogs({ limits: { storeMs: 100 } })
    await logs.collect([service])
    fixture.addLine(task, 'live', { time: startAt + 1 })
    fixture.files.onCall = () => {
      throw createUnreachableError()
    }
    const texts = await fixture.readTexts(logs, { from: startAt - 1000, to: startAt + 1000 })
    expect(texts).toEqual([expect.stringMatching(/^The file store does not respond/), 'stored', 'live'])
    fixture.now += 3_600_001
    await expect(fixture.readTexts(logs, { from: startAt, to: startAt + 1 })).rejects.toMatchObject({
      name: 'HostingError',
      fault: 'unreachable',
    })
  })

  it('does not wait for a store that never responds', async () => {
    const task = fixture.docker.addTask({ id: 't1' })
    fixture.addLine(task, 'live')
    const store = {
      ...fixture.files.store,
      list: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }) }),
    }
    const logs = fixture.openLogs({ files: store, limits: { storeMs: 100 } })
    expect(await fixture.readTexts(logs)).toEqual([expect.stringMatching(/^The file store/), 'live'])
  })

  it.each([
    ['no gzip', Buffer.from('no gzip')],
    ['empty', Buffer.alloc(0)],
  ])('refuses a damaged object (%s) with its name, and collects further lines', async (_, bytes) => {
    const task = fixture.docker.addTask({ id: 't1' })
    fixture.addLine(task, 'one')
    await fixture.openLogs().collect([service])
    fixture.addLine(task, 'two', { nanoseconds: 1 })
    await fixture.openLogs().collect([service])
    writeFileSync(join(fixture.folder, logFolder, '0000000002.ndjson.gz'), bytes)
    await expect(readStoredTexts()).rejects.toMatchObject({
      fault: 'unreachable',
      message: expect.stringContaining('0000000002.ndjson.gz of the log is damaged'),
    })
    await fixture.openLogs().collect([service])
    expect(fixture.events).toContain('service_log_damaged')
    // The lines of the damaged object were still known to the platform, so they are stored again.
    rmSync(join(fixture.folder, logFolder, '0000000002.ndjson.gz'))
    expect(await readStoredTexts()).toEqual(['one', 'two'])
  })

  it('ignores other files in the folder of a log', async () => {
    await addObjects([1])
    writeFileSync(join(fixture.folder, logFolder, 'notes.txt'), 'hello')
    await cleanUp()
    expect(await readStoredTexts()).toEqual(['a1', 'b1'])
    expect(listNames()).toContain('notes.txt')
  })
})
