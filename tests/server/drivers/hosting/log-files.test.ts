/** The log of a service as files: parts, days, tasks, and what is left of a writer that was killed. */
import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readLogFiles, removeOldLogs } from '#server/drivers/hosting/local/log-reader.ts'
import { openLogWriter } from '#server/drivers/hosting/local/log-writer.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'log-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const start = Date.parse('2026-11-26T23:59:00Z')
const read = (from = 0, to = start + 1e9) => Array.fromAsync(readLogFiles(folder, { from, to }))
const texts = async (from?: number, to?: number) => (await read(from, to)).map(({ text }) => text)

it('goes on in a new file after so many bytes and with each day, and is read as one', async () => {
  let now = start
  const writers = [0, 1, 2].map((task) => openLogWriter(folder, task, { clock: () => now, partBytes: 300 }))
  const written: string[] = []
  for (let line = 0; line < 90; line++) {
    writers[line % 3]?.write('info', `line ${line}`)
    written.push(`line ${line}`)
    now += 1000
  }
  for (const writer of writers) writer.close()
  expect(await texts()).toEqual(written)
  const names = readdirSync(folder)
  expect(names).toEqual(expect.arrayContaining(['2026-11-26.0.0.log', '2026-11-26.0.1.log', '2026-11-27.2.0.log']))
  // Spans begin and end within parts, and across days.
  for (const [from, to] of [
    [0, 10],
    [17, 18],
    [55, 70],
    [89, 200],
  ] as const)
    expect(await texts(start + from * 1000, start + to * 1000)).toEqual(written.slice(from, to))
})

it('is one line each, without control characters, and cut where it is too long', async () => {
  const writer = openLogWriter(folder, 1, { clock: () => start })
  writer.write('error', `a\nb\tc\u0000d\u001b[31m\u2028e`)
  writer.write('warn', `${'值'.repeat(5000)}end`)
  writer.write('info', `${'x'.repeat(3999)}😀`)
  writer.close()
  const [first, second, third] = await read()
  expect(first).toEqual({ time: start, task: 1, level: 'error', text: 'a b c d [31m e' })
  expect(second?.text).toBe('值'.repeat(4000))
  expect(third?.text).toBe(`${'x'.repeat(3999)}\ufffd`)
})

it('loses no line to one that was cut off, and none to a clock that is set back', async () => {
  let now = start
  const first = openLogWriter(folder, 1, { clock: () => now })
  first.write('info', 'before')
  now -= 60_000
  first.write('info', 'set back')
  first.close()
  appendFileSync(join(folder, '2026-11-26.1.0.log'), `${start}\tinfo\tcut o`)
  now = start + 1
  const second = openLogWriter(folder, 1, { clock: () => now })
  second.write('info', 'after')
  second.close()
  expect(await texts(start)).toEqual(['before', 'set back', 'cut o', 'after'])
  writeFileSync(
    join(folder, '2026-11-26.2.0.log'),
    `nonsense\n\n\tinfo\t\n${'z'.repeat(100_000)}\n${start + 2}\tinfo\tgood\n`,
  )
  writeFileSync(join(folder, 'other.txt'), `${start}\tinfo\tnot ours\n`)
  expect(await texts(start)).toEqual(['before', 'set back', 'cut o', 'after', 'good'])
})

it('is kept for 180 days', async () => {
  for (const day of ['2026-05-30', '2026-05-31', '2026-11-26'])
    writeFileSync(join(folder, `${day}.1.0.log`), `${Date.parse(day)}\tinfo\t${day}\n`)
  removeOldLogs(folder, Date.parse('2026-11-27T00:00:00Z'))
  expect(await texts()).toEqual(['2026-05-31', '2026-11-26'])
})
