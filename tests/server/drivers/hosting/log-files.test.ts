/** Tests the log files of a service: parts, days, tasks, and files that a killed writer has left. */
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { readLogFiles, removeOldLogs } from '#server/drivers/hosting/local/log-reader.ts'
import { openLogWriter } from '#server/drivers/hosting/local/log-writer.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'log-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const startAt = Date.parse('2026-11-26T23:59:00Z')
const readLines = (from = 0, to = startAt + 1e9) => Array.fromAsync(readLogFiles([folder], { from, to }))
const readTexts = async (from?: number, to?: number) => (await readLines(from, to)).map(({ text }) => text)

it('A log continues in a new file by size and by day, and is read as one log', async () => {
  let now = startAt
  const writers = [0, 1, 2].map((task) => openLogWriter(folder, task, { clock: () => now, partBytes: 300 }))
  const writtenTexts: string[] = []
  for (let line = 0; line < 90; line++) {
    writers[line % 3]?.write('info', `line ${line}`)
    writtenTexts.push(`line ${line}`)
    now += 1000
  }
  for (const writer of writers) writer.close()
  expect(await readTexts()).toEqual(writtenTexts)
  const names = readdirSync(folder)
  expect(names).toEqual(expect.arrayContaining(['2026-11-26.0.0.log', '2026-11-26.0.1.log', '2026-11-27.2.0.log']))
  // These time ranges start and end inside parts, and cross days.
  for (const [from, to] of [
    [0, 10],
    [17, 18],
    [55, 70],
    [89, 200],
  ] as const)
    expect(await readTexts(startAt + from * 1000, startAt + to * 1000)).toEqual(writtenTexts.slice(from, to))
})

it('Each log entry is one line without control characters, and a long entry is truncated (fault 15a)', async () => {
  const writer = openLogWriter(folder, 1, { clock: () => startAt })
  writer.write('error', `a\nb\tc\u0000d\u001b[31m\u2028e`)
  writer.write('warn', `${'值'.repeat(5000)}end`)
  writer.write('info', `${'x'.repeat(1999)}😀`)
  writer.close()
  const [firstLine, secondLine, thirdLine] = await readLines()
  expect(firstLine).toEqual({ time: startAt, task: 1, level: 'error', text: 'a b c d [31m e' })
  expect(secondLine?.text).toBe(`${'值'.repeat(2000)}… [3003 more characters]`)
  expect(thirdLine?.text).toBe(`${'x'.repeat(1999)}\ufffd… [1 more characters]`)
})

it('No log entry is lost after a truncated line or if the clock is set back', async () => {
  let now = startAt
  const firstWriter = openLogWriter(folder, 1, { clock: () => now })
  firstWriter.write('info', 'before')
  now -= 60_000
  firstWriter.write('info', 'set back')
  firstWriter.close()
  appendFileSync(join(folder, '2026-11-26.1.0.log'), `${startAt}\tinfo\tcut o`)
  now = startAt + 1
  const secondWriter = openLogWriter(folder, 1, { clock: () => now })
  secondWriter.write('info', 'after')
  secondWriter.close()
  expect(await readTexts(startAt)).toEqual(['before', 'set back', 'cut o', 'after'])
  writeFileSync(
    join(folder, '2026-11-26.2.0.log'),
    `nonsense\n\n\tinfo\t\n${'z'.repeat(100_000)}\n${startAt + 2}\tinfo\tgood\n`,
  )
  writeFileSync(join(folder, 'other.txt'), `${startAt}\tinfo\tnot ours\n`)
  expect(await readTexts(startAt)).toEqual(['before', 'set back', 'cut o', 'after', 'good'])
})

it('The log is kept for 180 days', async () => {
  for (const day of ['2026-05-30', '2026-05-31', '2026-11-26'])
    writeFileSync(join(folder, `${day}.1.0.log`), `${Date.parse(day)}\tinfo\t${day}\n`)
  removeOldLogs([folder], Date.parse('2026-11-27T00:00:00Z'))
  expect(await readTexts()).toEqual(['2026-05-31', '2026-11-26'])
})

const countBytesOnDisk = () => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
const dayBytes = 20_000

it('A repeated log entry is counted instead of written again (fault 15a)', async () => {
  vi.useFakeTimers()
  try {
    let now = startAt
    const writer = openLogWriter(folder, 1, { clock: () => now })
    for (let time = 0; time < 1000; time++)
      writer.write('info', `GET / 303 ${time % 7} ms`, { priority: 'request', repeatKey: 'GET / 303' })
    writer.write('info', 'login of admin')
    writer.write('info', 'login of admin')
    expect(await readTexts()).toEqual(['GET / 303 0 ms', 'last line repeated 999 times', 'login of admin'])
    // While an entry keeps repeating, its count is written every few seconds.
    now += 5000
    vi.advanceTimersByTime(5000)
    expect((await readTexts()).at(-1)).toBe('last line repeated 1 time')
    writer.write('info', 'login of admin')
    writer.write('error', 'login of admin')
    writer.close()
    expect((await readTexts()).slice(3)).toEqual([
      'last line repeated 1 time',
      'last line repeated 1 time',
      'login of admin',
    ])
  } finally {
    vi.useRealTimers()
  }
})

it('The log stops at the daily limit, which all tasks share, and continues the next day (fault 15a)', async () => {
  let now = startAt
  const openWriters = () => [1, 2].map((task) => openLogWriter(folder, task, { clock: () => now, dayBytes }))
  const writeFlood = (
    writers: readonly { write(level: 'info', text: string, options: { priority: 'request' }): void }[],
  ) => {
    for (let line = 0; line < 1000; line++)
      writers[line % 2]?.write('info', `GET /${line}/${'x'.repeat(100)} 404`, { priority: 'request' })
  }
  const firstWriters = openWriters()
  writeFlood(firstWriters)
  const findNotices = (texts: readonly string[]) =>
    texts.filter((text) => text.includes('not recorded until 00:00 UTC'))
  expect(findNotices(await readTexts())).toEqual(
    Array(2).fill(
      "requests have used their 0.015 MB of today's log: further requests are not recorded until 00:00 UTC",
    ),
  )
  // Entries that strangers can cause leave space for important ones.
  firstWriters[0]?.write('warn', 'login of admin refused', { priority: 'refusal' })
  expect(await readTexts()).toContain('login of admin refused')
  for (let line = 0; line < 1000; line++) firstWriters[0]?.write('error', `error ${line} ${'x'.repeat(100)}`)
  expect(findNotices(await readTexts())).toContain(
    "today's log is full (0.02 MB): further lines are not recorded until 00:00 UTC",
  )
  for (const writer of firstWriters) writer.close()
  // A restarted task gets no new share.
  const secondWriters = openWriters()
  writeFlood(secondWriters)
  expect(countBytesOnDisk()).toBeLessThan(dayBytes * 1.25)
  firstWriters[0]?.write('info', 'task 1 begins', { priority: 'lifecycle' })
  expect(await readTexts()).toContain('task 1 begins')
  now += 120_000
  secondWriters[0]?.write('info', 'a new day')
  const currentTexts = await readTexts()
  expect(currentTexts.slice(-2)).toEqual(['number of lines not recorded on 2026-11-26: 500', 'a new day'])
})

it('Refused logins leave space in the log for logins and errors (fault 15m)', async () => {
  const writer = openLogWriter(folder, 1, { clock: () => startAt, dayBytes })
  for (let line = 0; line < 1000; line++) writer.write('warn', `login of name${line} refused`, { priority: 'refusal' })
  writer.write('info', 'login of admin')
  writer.write('error', 'the disk is full')
  const texts = await readTexts()
  expect(texts.slice(-2)).toEqual(['login of admin', 'the disk is full'])
  expect(texts).toContain(
    "refused logins have used their 0.0175 MB of today's log: further refused logins are not recorded until 00:00 UTC",
  )
  writer.close()
})

it('The log keeps only the newest days within its total size (fault 15a)', async () => {
  for (const day of ['2026-11-23', '2026-11-24', '2026-11-25', '2026-11-26'])
    writeFileSync(join(folder, `${day}.1.0.log`), `${Date.parse(day)}\tinfo\t${day}\n`)
  mkdirSync(join(folder, '2026-11-22.1.0.log'))
  const size = statSync(join(folder, '2026-11-26.1.0.log')).size
  removeOldLogs([folder], startAt, size * 2)
  expect(await readTexts()).toEqual(['2026-11-25', '2026-11-26'])
})

it('The log ignores links and foreign files in its folder (fault 15a)', async () => {
  const otherPath = join(folder, 'other.txt')
  writeFileSync(otherPath, `${startAt}\tinfo\tnot ours\n`)
  symlinkSync(otherPath, join(folder, '2026-11-26.1.0.log'))
  linkSync(otherPath, join(folder, '2026-11-26.2.0.log'))
  execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', join(folder, '2026-11-26.3.0.log')])
  const writer = openLogWriter(folder, 1, { clock: () => startAt })
  writer.write('info', 'through a link')
  writer.close()
  expect(statSync(otherPath).size).toBe(`${startAt}\tinfo\tnot ours\n`.length)
  expect(await readTexts()).toEqual([])
})
