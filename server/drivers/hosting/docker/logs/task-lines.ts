/** Converts the frames of one task's log to lines. The platform cuts a line into frames of 16 KB; they are joined again. */
import { crc32 } from 'node:zlib'
import { HostingError, type InstanceLogLine } from '#server/drivers/hosting/hosting-driver.ts'
import { toLogText } from '#server/drivers/hosting/log-text.ts'
import type { LogFrame, LogStream } from '#server/drivers/hosting/docker/logs/log-frames.ts'

export interface TaskLine {
  /** Like `2026-11-29T22:50:37.362177386Z`: the order of these texts is the order of the times. */
  timestamp: string
  /** Same for the same line in every reading: timestamp, stream and a checksum of the complete text. */
  fingerprint: string
  level: InstanceLogLine['level']
  /** Converts the bytes only when it is called, because most lines of a full log are dropped. */
  getText(): string
}

/** Long enough for all characters that are stored of a line. */
const maxStoredBytes = 8192
const timestampPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z $/
const timestampLength = 31
const levelPattern = /^(info|warn|error) /
const platformPrefix = /^Error grabbing logs: (?:rpc error: code = \w+ desc = )?/

interface LineDraft {
  timestamp: string
  checksum: number
  parts: Buffer[]
  storedBytes: number
  /** Length in UTF-16 units of the text after the stored part. */
  furtherLength: number
}

/**
 * `isFinal` is true if the task has ended: then a last line without a line break is complete. Otherwise it is left out, because its rest may
 * follow. Throws `unreachable` with the platform's words for a log that it could not read completely.
 */
export async function* readTaskLines(frames: AsyncIterable<LogFrame>, isFinal: boolean): AsyncGenerator<TaskLine> {
  const drafts = new Map<LogStream, LineDraft>()
  for await (const frame of frames) {
    if (frame.stream === 3)
      throw new HostingError('unreachable', toLogText(frame.text.toString().replace(platformPrefix, '').trim()))
    const timestamp = frame.text.toString('latin1', 0, timestampLength)
    if (!timestampPattern.test(timestamp))
      throw new HostingError('unreachable', 'The platform has sent a log line without a time.')
    const draft = drafts.get(frame.stream) ?? {
      timestamp: timestamp.trimEnd(),
      checksum: 0,
      parts: [],
      storedBytes: 0,
      furtherLength: 0,
    }
    addFrame(draft, frame)
    if (frame.endsLine) {
      drafts.delete(frame.stream)
      yield toLine(draft, frame.stream)
    } else drafts.set(frame.stream, draft)
  }
  if (isFinal) for (const [stream, draft] of drafts) yield toLine(draft, stream)
}

function addFrame(draft: LineDraft, { text, length, endsLine }: LogFrame): void {
  const lineBreak = endsLine ? 1 : 0
  const content = text.subarray(timestampLength, length - lineBreak)
  draft.checksum = crc32(content, draft.checksum)
  const stored = content.subarray(0, maxStoredBytes - draft.storedBytes)
  // A copy, because otherwise a stored line would keep the complete chunk in memory.
  if (stored.length > 0) draft.parts.push(Buffer.from(stored))
  draft.storedBytes += stored.length
  draft.furtherLength += countUnits(content.subarray(stored.length)) + Math.max(0, length - lineBreak - text.length)
}

/** Length of the text in UTF-16 units. */
const countUnits = (bytes: Buffer) => (bytes.length === 0 ? 0 : bytes.toString().length)

function toLine({ timestamp, checksum, parts, furtherLength }: LineDraft, stream: LogStream): TaskLine {
  const [first = Buffer.alloc(0)] = parts
  const bytes = parts.length > 1 ? Buffer.concat(parts) : first
  const [prefix = '', level] = levelPattern.exec(bytes.toString('latin1', 0, 6)) ?? []
  return {
    timestamp,
    fingerprint: `${timestamp} ${stream} ${checksum}`,
    level: (level as InstanceLogLine['level'] | undefined) ?? (stream === 1 ? 'info' : 'error'),
    getText() {
      const text = bytes.toString('utf8', prefix.length).replace(/\r$/, '')
      return toLogText(text, text.length + furtherLength)
    },
  }
}
