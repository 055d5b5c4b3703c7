/** Tests how the bytes of a log become lines, with bytes that a daemon has sent, and with bytes that no daemon should send. */
import { expect, it } from 'vitest'
import { readLogFrames } from '#server/drivers/hosting/docker/logs/log-frames.ts'
import { readTaskLines, type TaskLine } from '#server/drivers/hosting/docker/logs/task-lines.ts'
import { encodeFrame } from '#tests/support/hosting/docker-logs.ts'
import { notScheduledLog, recordedLog } from '#tests/support/hosting/recorded-docker-log.ts'

async function* splitBytes(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < bytes.length; index += size) yield bytes.subarray(index, index + size)
}

async function readLines(bytes: Buffer, { size = bytes.length, isFinal = true } = {}): Promise<TaskLine[]> {
  const lines: TaskLine[] = []
  for await (const line of readTaskLines(readLogFrames(splitBytes(bytes, size)), isFinal)) lines.push(line)
  return lines
}

const describeLines = (lines: TaskLine[]) => lines.map((line) => `${line.level}: ${line.getText()}`)

const time = '2026-11-29T22:50:37.362177386Z'

it('reads a recorded log: levels by prefix and stream, joined long lines, no control characters', async () => {
  const lines = await readLines(recordedLog)
  expect(describeLines(lines).toSorted()).toEqual(
    [
      'info: started',
      'error: a problem',
      'warn:  [31mred [0m tab nul',
      'info: plain',
      'error: bad',
      'info: ',
      `info: ${'x'.repeat(2000)}… [38000 more characters]`,
      `info: ${'世é'.repeat(1000)}… [1000 more characters]`,
      'info: same',
      'info: same',
      'info: from standard error',
      'info: cut by the end',
    ].toSorted(),
  )
  expect(lines.every(({ timestamp }) => /^2026-11-29T\d\d:\d\d:\d\d\.\d{9}Z$/.test(timestamp))).toBe(true)
})

it('reads the same lines wherever the bytes are cut', async () => {
  const expected = await readLines(recordedLog)
  for (const size of [1, 2, 7, 8, 39, 4096, 16_571]) {
    const lines = await readLines(recordedLog, { size })
    expect(lines.map(({ fingerprint }) => fingerprint)).toEqual(expected.map(({ fingerprint }) => fingerprint))
    expect(describeLines(lines)).toEqual(describeLines(expected))
  }
})

it('leaves out a last line without a line break while its task runs', async () => {
  const texts = describeLines(await readLines(recordedLog, { isFinal: false }))
  expect(texts).toHaveLength(11)
  expect(texts).not.toContain('info: cut by the end')
})

it('counts the characters of a line that is longer than what is stored of a frame', async () => {
  const text = 'y'.repeat(3 * 2 ** 20)
  const [line] = await readLines(encodeFrame(1, `${time} ${text}\n`), { size: 65_536 })
  expect(line?.getText()).toBe(`${'y'.repeat(2000)}… [${text.length - 2000} more characters]`)
})

it('reports what the platform says about a log that it cannot read, after the lines before', async () => {
  await expect(readLines(notScheduledLog)).rejects.toMatchObject({
    fault: 'unreachable',
    message: expect.stringMatching(/^warning: incomplete log stream.* has not been scheduled$/),
  })
  const read: string[] = []
  const frames = readLogFrames(splitBytes(Buffer.concat([encodeFrame(1, `${time} first\n`), notScheduledLog]), 10))
  const reading = async () => {
    for await (const line of readTaskLines(frames, true)) read.push(line.getText())
  }
  await expect(reading()).rejects.toThrow('has not been scheduled')
  expect(read).toEqual(['first'])
})

it.each([
  ['an unknown stream', encodeFrame(7, `${time} a\n`)],
  ['bytes in the header that must be zero', Buffer.concat([Buffer.from([1, 0, 1, 0]), Buffer.alloc(4)])],
  ['an impossible length', Buffer.from([1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff])],
  ['a log that ends inside a header', Buffer.from([1, 0, 0])],
  ['a log that ends inside a line', encodeFrame(1, `${time} a\n`).subarray(0, -1)],
  ['a line without a time', encodeFrame(1, 'hello, this line has no time in front of it\n')],
  ['an empty frame', encodeFrame(1, '')],
  ['an answer that is no log', Buffer.from('<html>Bad gateway</html>')],
])('refuses %s', async (_, bytes) => {
  await expect(readLines(bytes)).rejects.toMatchObject({ name: 'HostingError', fault: 'unreachable' })
})
