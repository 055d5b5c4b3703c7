import { getSince, type TaskPosition, trackLines } from '#server/drivers/hosting/docker/logs/log-position.ts'
import type { LoggedTask, SwarmLogs } from '#server/drivers/hosting/docker/logs/swarm-logs.ts'
import type { TaskLine } from '#server/drivers/hosting/docker/logs/task-lines.ts'

export interface NewLine {
  line: TaskLine
  /** Epoch ms, never before the previous line's. */
  time: number
  /** Position after the line. */
  position: TaskPosition
}

export interface NewLinesOptions {
  swarm: SwarmLogs
  task: LoggedTask
  position: TaskPosition
  /** Number of lines that are expected at most. */
  tail: number
  /** Time in epoch ms from which lines are needed if there is no position. */
  from?: number
}

/**
 * Reads the lines of a task after a position. First reads only the last lines: to find lines by their time, the platform reads all files of
 * the task, which takes it 400 ms for a log of 30 MB. If the position is not among the last lines, they are found by their time.
 */
export async function* readNewLines(options: NewLinesOptions): AsyncGenerator<NewLine> {
  const { swarm, task, position, from = 0 } = options
  const lastLines = position.latest === '' ? null : await readLastLines(options)
  const since = getSince(position) ?? (from > 0 ? String(Math.floor(from / 1000)) : null)
  if (lastLines === null) yield* selectNewLines(swarm.readTask(task, { since }), position)
  else yield* selectNewLines(lastLines, position)
}

/** Returns null if the lines do not surely contain the position and all lines after it. */
async function readLastLines({ swarm, task, position, tail }: NewLinesOptions): Promise<TaskLine[] | null> {
  const lines: TaskLine[] = []
  for await (const line of swarm.readTask(task, { tail })) lines.push(line)
  const timestamp = position.fingerprint.slice(0, position.latest.length)
  // Of equal lines, the first ones could be missing.
  const isCut = lines.length >= tail && lines[0]?.timestamp === timestamp
  const count = lines.filter(({ fingerprint }) => fingerprint === position.fingerprint).length
  return isCut || count < position.nth ? null : lines
}

async function* selectNewLines(
  lines: AsyncIterable<TaskLine> | Iterable<TaskLine>,
  position: TaskPosition,
): AsyncGenerator<NewLine> {
  const tracker = trackLines(position)
  for await (const line of lines) {
    const time = tracker.accept(line)
    if (time !== null) yield { line, time, position: tracker.getPosition() }
  }
}
